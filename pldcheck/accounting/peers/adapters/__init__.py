"""Stand-alone modules, one for each peer, that run in any interpreter which has the peer; see ``driver``."""
