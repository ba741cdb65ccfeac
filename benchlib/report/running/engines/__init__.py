"""The two ways to run the cells of a notebook: a kernel of its own, or a fork of this process."""
