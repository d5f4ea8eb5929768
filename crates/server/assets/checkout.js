// The checkout works without this script.
