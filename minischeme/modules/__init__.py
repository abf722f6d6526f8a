"""The search for files and libraries, and the exports of libraries."""
