//! One connection: sends a request and reads a limited part of its answer.
//!
//! The connection is driven by the task that waits for the answer, so it ends with the call: nothing
//! continues after a deadline that has passed.

use super::{CallFailure, paced_body::RequestBody, target::Target};
use http_body_util::BodyExt as _;
use hyper::{
    Request, Response,
    body::{Bytes, Frame, Incoming},
    client::conn::http1,
    ext::on_informational,
    header::CONTENT_TYPE,
};
use hyper_util::rt::TokioIo;
use std::{
    error::Error,
    fmt,
    future::poll_fn,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};
use till_domain::delivery::{RESPONSE_LIMIT, ReceiverResponse};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::TlsConnector;

/// The largest answer that is read, its head included; the last read may go beyond it.
const MAX_ANSWER: usize = 64 * 1024;

/// The largest head of an answer, and the largest read.
const MAX_HEAD: usize = 32 * 1024;

/// How long the start of a body that is kept may take after its head. A page of an error comes at once.
const BODY_WITHIN: Duration = Duration::from_secs(1);

/// The longest `Content-Type` that is kept, in characters.
const MAX_CONTENT_TYPE: usize = 100;

/// Most provisional answers (1xx) before the real one.
const MAX_PROVISIONAL: usize = 8;

type Connection = http1::Connection<TokioIo<LimitedStream>, RequestBody>;

pub struct Wire {
    pub address: SocketAddr,
    sender: http1::SendRequest<RequestBody>,
    /// `None` once it has ended.
    connection: Option<Connection>,
    /// The bytes that may still be read.
    allowance: Arc<AtomicUsize>,
}

impl Wire {
    /// Prepares a stream for requests; with TLS if the target uses it.
    pub async fn open(
        stream: TcpStream,
        address: SocketAddr,
        target: &Target,
        tls: &TlsConnector,
    ) -> Result<Self, CallFailure> {
        let io: Box<dyn Io> = if target.https {
            let shaken = tls.connect(target.server_name()?, stream).await;
            Box::new(shaken.map_err(|_| CallFailure::Tls)?)
        } else {
            Box::new(stream)
        };
        let allowance = Arc::new(AtomicUsize::new(0));
        let io = TokioIo::new(LimitedStream { io, allowance: Arc::clone(&allowance) });
        let opened = http1::Builder::new().max_buf_size(MAX_HEAD).handshake(io).await;
        let (sender, connection) = opened.map_err(|error| classify(&error))?;
        Ok(Self { address, sender, connection: Some(connection), allowance })
    }

    /// Sends a request, and waits for the head of its answer.
    pub async fn send(
        &mut self,
        mut request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, CallFailure> {
        self.allowance.store(MAX_ANSWER, Relaxed);
        let provisional = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&provisional);
        on_informational(&mut request, move |_| {
            counter.fetch_add(1, Relaxed);
        });
        let mut answer = pin!(self.sender.send_request(request));
        let connection = &mut self.connection;
        poll_fn(|cx| {
            drive(connection, cx);
            let answered = answer.as_mut().poll(cx);
            if provisional.load(Relaxed) > MAX_PROVISIONAL {
                return Poll::Ready(Err(CallFailure::Protocol));
            }
            answered.map_err(|error| classify(&error))
        })
        .await
    }

    /// Reads the rest of an answer. Returns the connection if it can be reused.
    pub async fn drain(mut self, mut body: Incoming) -> Option<Self> {
        while let Some(frame) = self.next_frame(&mut body).await {
            frame.ok()?;
        }
        self.is_idle().await.then_some(self)
    }

    /// The start of a response: as much of it as arrives soon and before the deadline, up to the limit.
    pub async fn keep(&mut self, response: Response<Incoming>, deadline: Instant) -> ReceiverResponse {
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = content_type.map(|text| text.chars().take(MAX_CONTENT_TYPE).collect());
        let deadline = deadline.min(Instant::now() + BODY_WITHIN);
        let (mut body, mut start) = (response.into_body(), Vec::new());
        while start.len() < RESPONSE_LIMIT
            && let Ok(Some(Ok(frame))) = timeout_at(deadline, self.next_frame(&mut body)).await
        {
            let data = frame.data_ref().map_or(&[][..], |data| data);
            let room = RESPONSE_LIMIT - start.len();
            start.extend_from_slice(data.get(..room).unwrap_or(data));
        }
        ReceiverResponse { content_type, body: start }
    }

    async fn next_frame(&mut self, body: &mut Incoming) -> Option<Result<Frame<Bytes>, hyper::Error>> {
        let mut frame = pin!(body.frame());
        let connection = &mut self.connection;
        poll_fn(|cx| {
            drive(connection, cx);
            frame.as_mut().poll(cx)
        })
        .await
    }

    /// True if the connection is open and idle.
    async fn is_idle(&mut self) -> bool {
        poll_fn(|cx| {
            drive(&mut self.connection, cx);
            let ready = matches!(self.sender.poll_ready(cx), Poll::Ready(Ok(())));
            Poll::Ready(ready && self.connection.is_some())
        })
        .await
    }
}

/// Polls the connection. The error of a connection that ended reaches the task that waits for the answer.
fn drive(connection: &mut Option<Connection>, cx: &mut Context<'_>) {
    if connection.as_mut().is_some_and(|open| Pin::new(open).poll(cx).is_ready()) {
        *connection = None;
    }
}

/// The failure for an error, without any text of the receiver.
fn classify(error: &hyper::Error) -> CallFailure {
    if error.is_parse() {
        return CallFailure::Protocol;
    }
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    match cause.map(io::Error::get_ref) {
        Some(Some(inner)) if inner.is::<rustls::Error>() => CallFailure::Tls,
        Some(Some(inner)) if inner.is::<TooMuch>() => CallFailure::Protocol,
        Some(_) => CallFailure::Closed,
        None if error.is_incomplete_message() || error.is_canceled() || error.is_closed() => {
            CallFailure::Closed
        }
        None => CallFailure::Protocol,
    }
}

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A stream with a limit of bytes to read.
struct LimitedStream {
    io: Box<dyn Io>,
    allowance: Arc<AtomicUsize>,
}

/// The answer is longer than [`MAX_ANSWER`].
#[derive(Debug)]
struct TooMuch;

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the response is too long")
    }
}

impl Error for TooMuch {}

impl AsyncRead for LimitedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let allowed = self.allowance.load(Relaxed);
        if allowed == 0 {
            return Poll::Ready(Err(io::Error::other(TooMuch)));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.io).poll_read(cx, buf);
        self.allowance.store(allowed.saturating_sub(buf.filled().len() - before), Relaxed);
        read
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
