//! The notifications that the service sends to its service manager.

use crate::support::Till;
use std::{os::unix::net::UnixDatagram, time::Duration};

/// A service manager that the service of this folder notifies.
fn manager(till: &mut Till) -> UnixDatagram {
    let path = till.file("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a time limit");
    till.set("NOTIFY_SOCKET", path.to_str().expect("a path"));
    socket
}

fn next(socket: &UnixDatagram) -> String {
    let mut bytes = [0; 512];
    let length = socket.recv(&mut bytes).expect("a notification");
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

/// The first notification with this line.
fn until(socket: &UnixDatagram, line: &str) -> String {
    loop {
        let notification = next(socket);
        if notification.lines().any(|one| one == line) {
            return notification;
        }
    }
}

#[test]
fn the_service_manager_learns_that_the_service_is_ready_alive_and_stopping() {
    let mut till = Till::new();
    let socket = manager(&mut till);
    till.set("WATCHDOG_USEC", "60000");
    let service = till.serve();
    assert_eq!(next(&socket), format!("READY=1\nSTATUS=serves {}\n", service.url));
    for _ in 0..3 {
        until(&socket, "WATCHDOG=1");
    }
    // A process that hangs sends nothing, so that it is restarted.
    service.freeze();
    socket.set_read_timeout(Some(Duration::from_millis(300))).expect("a time limit");
    while socket.recv(&mut [0; 512]).is_ok() {}
    service.thaw();
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a time limit");
    until(&socket, "WATCHDOG=1");
    service.signal();
    until(&socket, "STOPPING=1");
}

#[test]
fn without_a_watchdog_the_service_only_says_that_it_is_ready() {
    let mut till = Till::new();
    let socket = manager(&mut till);
    let service = till.serve();
    assert!(next(&socket).starts_with("READY=1\n"));
    socket.set_read_timeout(Some(Duration::from_millis(300))).expect("a time limit");
    assert!(socket.recv(&mut [0; 512]).is_err());
    drop(service);
    till.set("NOTIFY_SOCKET", "/nowhere/at/all");
    let service = till.serve();
    assert!(service.log().contains("serves"), "a service manager that is gone is no reason not to serve");
}
