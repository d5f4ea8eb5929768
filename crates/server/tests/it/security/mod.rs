//! Tests of attacks and floods: log-ins, connections, addresses, secrets.

mod card_testing;
mod connections;
mod heads;
mod log_ins;
mod matrix;
mod outbound;
mod outbound_guard;
mod secrets;
mod strangers;
mod swarm;
mod tls;
mod unread;
