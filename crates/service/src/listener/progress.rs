//! A connection with a write timeout: a write that makes no progress for too long fails.
//!
//! hyper has deadlines for what a client sends, and none for what it reads: a client that requests and does
//! not read would keep its connection, and our answers, without end.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// Bytes that count as progress while more wait: a client that reads a few at a time does not count as
/// reading.
const LEAST: usize = 4 * 1024;

/// A stream with a deadline for writes that wait.
#[derive(Debug)]
pub struct Progress<S> {
    stream: S,
    limit: Duration,
    /// Expires when the client has read too little for too long.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Bytes read by the client since the deadline began.
    taken: usize,
}

impl<S> Progress<S> {
    /// Lets writes wait for at most `limit`.
    pub fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, deadline: None, taken: 0 }
    }

    /// Updates the deadline after a write of `wanted` bytes.
    fn note(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
        wanted: usize,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(count)) => {
                self.taken = self.taken.saturating_add(count);
                if count == wanted || self.taken >= LEAST {
                    (self.deadline, self.taken) = (None, 0);
                }
                written
            }
            Poll::Ready(Err(_)) => written,
            Poll::Pending => self.wait(context).map(Err),
        }
    }

    /// Polls the deadline, and starts it if it is not running.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let limit = self.limit;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "the client does not read the response"))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Progress<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Progress<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(context, written, bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.note(context, written, parts.iter().map(|part| part.len()).sum())
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Pending => self.wait(context).map(Err),
            done => done,
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_shutdown(context) {
            Poll::Pending => self.wait(context).map(Err),
            done => done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::{Instant, timeout},
    };

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn s1_a_write_that_nobody_reads_fails_at_its_deadline() {
        let (near, _far) = duplex(16 * 1024);
        let (mut near, began) = (Progress::new(near, LIMIT), Instant::now());
        let error = near.write_all(&[0; 64 * 1024]).await.expect_err("nobody reads");
        assert_eq!((error.kind(), began.elapsed()), (io::ErrorKind::TimedOut, LIMIT));
    }

    #[tokio::test(start_paused = true)]
    async fn s1_who_reads_slowly_is_served_and_who_dribbles_is_not() {
        for (each, served) in [(LEAST, true), (LEAST / 8, false)] {
            let (near, mut far) = duplex(16 * 1024);
            let mut near = Progress::new(near, LIMIT);
            let reading = tokio::spawn(async move {
                let mut bytes = vec![0; each];
                loop {
                    sleep(LIMIT / 2).await;
                    far.read_exact(&mut bytes).await.expect("more comes");
                }
            });
            let written = timeout(Duration::from_secs(3_600), near.write_all(&[0; 256 * 1024])).await;
            assert_eq!(written.expect("it ends").is_ok(), served, "{each}");
            reading.abort();
        }
    }
}
