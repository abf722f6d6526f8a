"""The kernel's entry among the kernels that Jupyter offers."""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from jupyter_client.kernelspec import KernelSpecManager

NAME = "minischeme"

SPECIFICATION = {
    "argv": [sys.executable, "-m", "minischeme.jupyter", "-f", "{connection_file}"],
    "display_name": "Scheme (minischeme)",
    "language": "scheme",
    "interrupt_mode": "signal",
}


def install(prefix: str | None) -> str:
    """Offer the kernel in the Jupyter of this user, or of the Python environment in a folder.

    Returns:
        The folder with its specification.

    Raises:
        OSError: That can't be written.
    """
    with TemporaryDirectory() as folder:
        Path(folder, "kernel.json").write_text(json.dumps(SPECIFICATION, indent=1) + "\n", encoding="utf-8")
        return str(KernelSpecManager().install_kernel_spec(folder, NAME, user=prefix is None, prefix=prefix))
