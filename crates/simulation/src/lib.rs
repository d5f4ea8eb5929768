//! The whole service in one deterministic process: several nodes over one store, a bank, the vendors' servers, clocks and
//! crashes, all driven by a seed. Everything is in `tests/it/`.
