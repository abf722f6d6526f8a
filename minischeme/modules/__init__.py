"""Where files and libraries are found, and what they export."""
