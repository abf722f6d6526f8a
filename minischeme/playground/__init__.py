"""The playground: a page that runs minischeme in the browser's own Python. Sources only: no wheel contains them."""
