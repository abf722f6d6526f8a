"""Pictures of values: boxes and pointers, procedures and environment frames, as text and as SVG."""
