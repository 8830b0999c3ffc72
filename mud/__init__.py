"""The world engine of Loci: places, commands, storage and the ways in. It knows nothing of minds."""
