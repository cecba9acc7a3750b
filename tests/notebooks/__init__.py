"""The notebooks with their outputs: executed again, and compared with what is stored."""
