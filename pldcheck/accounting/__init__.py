"""For accountants: other libraries' formats (interop), other accountants on one point (peers), and calibration."""
