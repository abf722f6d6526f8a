"""Transcripts: files of prose and interactions that are run again, compared and updated. Nothing here uses pytest."""
