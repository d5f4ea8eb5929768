//! The body of a request: sent as fast as the connection takes it, or spread over a time.

use http_body_util::{Either, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Interval, MissedTickBehavior, interval};

/// The parts in which a body is spread, if it has as many bytes.
const PARTS: usize = 40;

pub type RequestBody = Either<Full<Bytes>, PacedBody>;

/// The body of a request that is sent within this time; zero for at once.
pub fn body(bytes: &Bytes, over: Duration) -> RequestBody {
    if over.is_zero() || bytes.is_empty() {
        return Either::Left(Full::new(bytes.clone()));
    }
    let parts = u32::try_from(PARTS.min(bytes.len())).unwrap_or(1);
    let mut pause = interval((over / parts).max(Duration::from_micros(1)));
    pause.set_missed_tick_behavior(MissedTickBehavior::Delay);
    Either::Right(PacedBody { left: bytes.clone(), part: bytes.len().div_ceil(PARTS), pause })
}

/// A body whose parts are sent one after the other, with a pause between them.
#[derive(Debug)]
pub struct PacedBody {
    left: Bytes,
    part: usize,
    pause: Interval,
}

impl Body for PacedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        ready!(self.pause.poll_tick(cx));
        let length = self.part.min(self.left.len());
        let part = self.left.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.len().try_into().unwrap_or(u64::MAX))
    }
}
