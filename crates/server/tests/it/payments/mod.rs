//! Payments from the customer's click to the vendor's callback, with the simulated bank: one click too many,
//! time that runs out, money that comes late, and everything at once. `pace` is about providers that limit us, hang or say
//! nothing.

mod pace;
mod pages;
mod providers;
mod races;
mod submit;
mod time;
