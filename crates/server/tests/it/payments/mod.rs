//! Payments from the customer's click to the vendor's callback, with the simulated bank: double clicks,
//! deadlines, late money, and races. `pace` covers providers with rate limits, and those that hang or do not
//! answer.

mod after;
mod pace;
mod pages;
mod providers;
mod races;
mod simulate;
mod submit;
mod time;
