"""Transcripts: files of prose and interactions that are run again, compared and renewed. Knows nothing of pytest."""
