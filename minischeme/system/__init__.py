"""The operating system's side: terminal, processes, folders, memory."""
