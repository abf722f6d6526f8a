"""The operating system: terminal, processes, folders, memory."""
