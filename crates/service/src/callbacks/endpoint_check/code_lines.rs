//! Lines of code that repair a receiver, in the languages that vendors use most.

use till_domain::endpoint_check::CheckStep;

/// A programming language of vendors' servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeLanguage {
    Python,
    JavaScript,
    Php,
    Go,
    Ruby,
}

/// Parts of `User-Agent` headers, in lower case, that tell the language. With a slash where the letters alone are a part of
/// other words.
const HINTS: [(&str, CodeLanguage); 15] = [
    ("python", CodeLanguage::Python),
    ("aiohttp", CodeLanguage::Python),
    ("httpx", CodeLanguage::Python),
    ("typescript", CodeLanguage::JavaScript),
    ("node", CodeLanguage::JavaScript),
    ("axios", CodeLanguage::JavaScript),
    ("undici", CodeLanguage::JavaScript),
    ("bun/", CodeLanguage::JavaScript),
    ("deno/", CodeLanguage::JavaScript),
    ("php", CodeLanguage::Php),
    ("guzzle", CodeLanguage::Php),
    ("go-http-client", CodeLanguage::Go),
    ("go-resty", CodeLanguage::Go),
    ("ruby", CodeLanguage::Ruby),
    ("faraday", CodeLanguage::Ruby),
];

impl CodeLanguage {
    pub const ALL: [Self; 5] = [Self::Python, Self::JavaScript, Self::Php, Self::Go, Self::Ruby];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Php => "php",
            Self::Go => "go",
            Self::Ruby => "ruby",
        }
    }

    /// Inverse of [`as_str`](Self::as_str).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == word)
    }

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::Php => "PHP",
            Self::Go => "Go",
            Self::Ruby => "Ruby",
        }
    }

    /// The language of a client, guessed from its `User-Agent`.
    #[must_use]
    pub fn of_user_agent(header: &str) -> Option<Self> {
        let header = header.to_ascii_lowercase();
        HINTS.into_iter().find(|(hint, _)| header.contains(hint)).map(|(_, language)| language)
    }

    /// The line that repairs a step, where one line does.
    pub(super) fn line(self, step: CheckStep) -> Option<&'static str> {
        match step {
            CheckStep::WrongSignature | CheckStep::WrongSecret => Some(self.refuse()),
            CheckStep::ChangedBody => Some(self.raw_body()),
            CheckStep::SameEventTwice => Some(self.once()),
            CheckStep::UnknownEvent => Some(self.ignore()),
            CheckStep::OutOfOrder => Some(self.newer()),
            // More than a line: the signature that covers the timestamp has to be verified.
            CheckStep::OldTimestamp
            | CheckStep::RightCallback
            | CheckStep::ValidTls
            | CheckStep::UnknownField
            | CheckStep::FailedSession
            | CheckStep::ExpiredSession
            | CheckStep::LongName
            | CheckStep::NonAsciiText => None,
        }
    }

    fn refuse(self) -> &'static str {
        match self {
            Self::Python => "if not hmac.compare_digest(expected, signature): return \"\", 401",
            Self::JavaScript => "if (!timingSafeEqual(expected, given)) return res.status(401).end();",
            Self::Php => "if (!hash_equals($expected, $signature)) { http_response_code(401); exit; }",
            Self::Go => "if !hmac.Equal(expected, given) { w.WriteHeader(http.StatusUnauthorized); return }",
            Self::Ruby => "halt 401 unless OpenSSL.secure_compare(expected, signature)",
        }
    }

    fn raw_body(self) -> &'static str {
        match self {
            Self::Python => {
                "expected = hmac.new(secret.encode(), request.get_data(), hashlib.sha256).hexdigest()"
            }
            Self::JavaScript => {
                "app.post(\"/callback\", express.raw({ type: \"application/json\" }), handler); // req.body is a Buffer"
            }
            Self::Php => "$expected = hash_hmac('sha256', file_get_contents('php://input'), $secret);",
            Self::Go => {
                "body, err := io.ReadAll(r.Body) // sign these bytes, then json.Unmarshal(body, &event)"
            }
            Self::Ruby => "expected = OpenSSL::HMAC.hexdigest(\"SHA256\", secret, request.body.read)",
        }
    }

    fn once(self) -> &'static str {
        match self {
            Self::Python => "if not remember(event[\"eventId\"]): return \"\", 204  # seen before",
            Self::JavaScript => {
                "if (!(await remember(event.eventId))) return res.status(204).end(); // seen before"
            }
            Self::Php => {
                "if (!remember($event['eventId'])) { http_response_code(204); exit; } // seen before"
            }
            Self::Go => {
                "if !remember(event.EventID) { w.WriteHeader(http.StatusNoContent); return } // seen before"
            }
            Self::Ruby => "halt 204 unless remember(event[\"eventId\"]) # seen before",
        }
    }

    fn ignore(self) -> &'static str {
        match self {
            Self::Python => "if event[\"event\"] not in HANDLERS: return \"\", 204",
            Self::JavaScript => "if (!(event.event in handlers)) return res.status(204).end();",
            Self::Php => "if (!isset($handlers[$event['event']])) { http_response_code(204); exit; }",
            Self::Go => {
                "handle, known := handlers[event.Event]; if !known { w.WriteHeader(http.StatusNoContent); return }"
            }
            Self::Ruby => "halt 204 unless HANDLERS.key?(event[\"event\"])",
        }
    }

    fn newer(self) -> &'static str {
        match self {
            Self::Python => {
                "if event[\"occurredAt\"] <= order.status_at: return \"\", 204  # older than what is known"
            }
            Self::JavaScript => {
                "if (event.occurredAt <= order.statusAt) return res.status(204).end(); // older than what is known"
            }
            Self::Php => {
                "if ($event['occurredAt'] <= $order->statusAt) { http_response_code(204); exit; } // older than what is known"
            }
            Self::Go => {
                "if !event.OccurredAt.After(order.StatusAt) { w.WriteHeader(http.StatusNoContent); return } // older"
            }
            Self::Ruby => "halt 204 if event[\"occurredAt\"] <= order.status_at # older than what is known",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CodeLanguage::{self, Go, JavaScript, Php, Python, Ruby};

    #[test]
    fn the_language_is_read_from_the_user_agent() {
        for (agent, language) in [
            ("python-requests/2.32", Some(Python)),
            ("till-checkout-typescript/1.0 node/22", Some(JavaScript)),
            ("Bun/1.2", Some(JavaScript)),
            ("GuzzleHttp/7", Some(Php)),
            ("PHP/8.3 (Ubuntu)", Some(Php)),
            ("Go-http-client/1.1", Some(Go)),
            ("Ruby", Some(Ruby)),
            ("Mozilla/5.0 (X11; Ubuntu; Linux x86_64)", None),
            ("lua-resty-http/0.17", None),
            ("curl/8.5", None),
        ] {
            assert_eq!(CodeLanguage::of_user_agent(agent), language, "{agent}");
        }
    }
}
