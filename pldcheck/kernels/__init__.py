"""Ground floor: numba kernels.  Arrays and scalars in and out; no classes, no validation, no pldcheck imports."""
