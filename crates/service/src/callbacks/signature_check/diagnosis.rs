//! The mistakes that the signature doctor knows.

/// A mistake in a signature, or that there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    None,
    AlternateSecret,
    EndedSecret,
    OtherEnvironment,
    ClientIdAsKey,
    TokenAsKey,
    EmptyKey,
    DecodedFromHex,
    DecodedFromBase64,
    WithoutPrefix,
    SecretSurrounded,
    SecretEncoded,
    Sha1,
    Sha384,
    Sha512,
    Md5,
    NoHmac,
    SwappedArguments,
    UpperCase,
    Base64,
    Prefix,
    Separators,
    Surrounded,
    EncodedTwice,
    Truncated,
    BodyChanged,
    BodyNotSent,
    Spaces,
    KeyOrder,
    EscapedSlashes,
    EscapedNonAscii,
    ByteOrderMark,
    LineEndings,
    TrailingNewline,
    UrlDecoded,
    SerializedTwice,
    BodyEncoded,
    EmptyBody,
    StandardWebhooks,
    NotASignature,
    NothingFound,
}

impl Mistake {
    pub const ALL: [Self; 41] = [
        Self::None,
        Self::AlternateSecret,
        Self::EndedSecret,
        Self::OtherEnvironment,
        Self::ClientIdAsKey,
        Self::TokenAsKey,
        Self::EmptyKey,
        Self::DecodedFromHex,
        Self::DecodedFromBase64,
        Self::WithoutPrefix,
        Self::SecretSurrounded,
        Self::SecretEncoded,
        Self::Sha1,
        Self::Sha384,
        Self::Sha512,
        Self::Md5,
        Self::NoHmac,
        Self::SwappedArguments,
        Self::UpperCase,
        Self::Base64,
        Self::Prefix,
        Self::Separators,
        Self::Surrounded,
        Self::EncodedTwice,
        Self::Truncated,
        Self::BodyChanged,
        Self::BodyNotSent,
        Self::Spaces,
        Self::KeyOrder,
        Self::EscapedSlashes,
        Self::EscapedNonAscii,
        Self::ByteOrderMark,
        Self::LineEndings,
        Self::TrailingNewline,
        Self::UrlDecoded,
        Self::SerializedTwice,
        Self::BodyEncoded,
        Self::EmptyBody,
        Self::StandardWebhooks,
        Self::NotASignature,
        Self::NothingFound,
    ];

    /// Its code in the API.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::None => "right",
            Self::AlternateSecret => "alternate_secret",
            Self::EndedSecret => "ended_secret",
            Self::OtherEnvironment => "other_environment",
            Self::ClientIdAsKey => "client_id_as_key",
            Self::TokenAsKey => "token_as_key",
            Self::EmptyKey => "empty_key",
            Self::DecodedFromHex => "secret_decoded_from_hex",
            Self::DecodedFromBase64 => "secret_decoded_from_base64",
            Self::WithoutPrefix => "secret_without_prefix",
            Self::SecretSurrounded => "secret_surrounded",
            Self::SecretEncoded => "secret_encoded",
            Self::Sha1 => "sha1",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Md5 => "md5",
            Self::NoHmac => "no_hmac",
            Self::SwappedArguments => "swapped_arguments",
            Self::UpperCase => "upper_case",
            Self::Base64 => "base64",
            Self::Prefix => "prefix",
            Self::Separators => "separators",
            Self::Surrounded => "surrounded",
            Self::EncodedTwice => "encoded_twice",
            Self::Truncated => "truncated",
            Self::BodyChanged => "body_changed",
            Self::BodyNotSent => "body_not_sent",
            Self::Spaces => "body_spaces",
            Self::KeyOrder => "body_key_order",
            Self::EscapedSlashes => "body_escaped_slashes",
            Self::EscapedNonAscii => "body_escaped_non_ascii",
            Self::ByteOrderMark => "body_byte_order_mark",
            Self::LineEndings => "body_line_endings",
            Self::TrailingNewline => "body_trailing_newline",
            Self::UrlDecoded => "body_url_decoded",
            Self::SerializedTwice => "body_serialized_twice",
            Self::BodyEncoded => "body_encoded",
            Self::EmptyBody => "body_empty",
            Self::StandardWebhooks => "standard_webhooks",
            Self::NotASignature => "not_a_signature",
            Self::NothingFound => "nothing_found",
        }
    }

    /// What is wrong, and what to do.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::None => "The signature is right.",
            Self::AlternateSecret => {
                "It is right for the second secret of the rotation that is in progress, whose signature is \
                 in X-Signature-Alternate. Accept both until the old pair ends."
            }
            Self::EndedSecret => "It was made with a secret that is no longer valid. Use the current one.",
            Self::OtherEnvironment => {
                "It was made with the secret of the other environment. Callbacks of the sandbox are signed \
                 with the sandbox secret, live ones with the live secret."
            }
            Self::ClientIdAsKey => "The client id was used as the key. The key is the client secret.",
            Self::TokenAsKey => "An access token was used as the key. The key is the client secret.",
            Self::EmptyKey => {
                "The key was empty. The setting or environment variable with the secret is probably missing \
                 where the callback is verified."
            }
            Self::DecodedFromHex => {
                "The secret was decoded from hex before it was used. Use its text as it is, as UTF-8 bytes."
            }
            Self::DecodedFromBase64 => {
                "The secret was decoded from base64 before it was used. Use its text as it is, with its \
                 prefix, as UTF-8 bytes."
            }
            Self::WithoutPrefix => "The secret was used without its prefix. Use all of its text.",
            Self::SecretSurrounded => {
                "The secret has a space, a line break or quotation marks around it. Remove them where you \
                 read it from a file or the environment."
            }
            Self::SecretEncoded => {
                "The secret was encoded to hex or base64 before it was used. Use its text as it is."
            }
            Self::Sha1 => "It is an HMAC with SHA-1. Use SHA-256.",
            Self::Sha384 => "It is an HMAC with SHA-384. Use SHA-256.",
            Self::Sha512 => "It is an HMAC with SHA-512. Use SHA-256.",
            Self::Md5 => "It is an HMAC with MD5. Use SHA-256.",
            Self::NoHmac => "It is a plain SHA-256 digest. Use HMAC-SHA256 with the secret as the key.",
            Self::SwappedArguments => {
                "Key and message are swapped: the body was used as the key. The secret is the key, the body \
                 is the message."
            }
            Self::UpperCase => "It is written in upper case. X-Signature has lower-case hex digits.",
            Self::Base64 => "It is written in base64. X-Signature has 64 lower-case hex digits.",
            Self::Prefix => "It has a prefix, such as sha256=. X-Signature has the hex digits alone.",
            Self::Separators => "It has separators between the bytes. X-Signature has the hex digits alone.",
            Self::Surrounded => {
                "It has spaces, a line break or quotation marks around it. Remove them before you compare."
            }
            Self::EncodedTwice => {
                "It was encoded twice, such as the base64 of hex digits. Encode the bytes of the HMAC once, \
                 to hex."
            }
            Self::Truncated => "It is the beginning of the right signature. Compare all 64 digits.",
            Self::BodyChanged => {
                "It is right for the bytes that Till sent, but the body given here is different. Something \
                 between Till and your code changed it: read the raw bytes of the request before anything \
                 parses them."
            }
            Self::BodyNotSent => {
                "It is right for this body, but Till sent other bytes for this event. The body was parsed \
                 and serialized again: sign the raw bytes of the request, before anything parses them."
            }
            Self::Spaces => {
                "The body was parsed and serialized again with other spaces. Sign the raw bytes of the \
                 request, not a body that was parsed."
            }
            Self::KeyOrder => {
                "The members of the body were sorted before it was signed. Sign the raw bytes of the \
                 request, not a body that was parsed."
            }
            Self::EscapedSlashes => {
                "The body was serialized again with escaped slashes, as json_encode of PHP does. Sign the raw \
                 bytes of the request, such as php://input."
            }
            Self::EscapedNonAscii => {
                "The body was serialized again with escaped letters, as json.dumps of Python does. Sign the \
                 raw bytes of the request, such as request.get_data()."
            }
            Self::ByteOrderMark => {
                "A byte order mark was added to the body, or removed. Sign the raw bytes of the request."
            }
            Self::LineEndings => {
                "The line breaks of the body were changed. Sign the raw bytes of the request."
            }
            Self::TrailingNewline => {
                "A line break was added to the end of the body, or removed. Sign the raw bytes of the \
                 request."
            }
            Self::UrlDecoded => {
                "The body was URL-decoded before it was signed. It is JSON, not a form: sign the raw bytes \
                 of the request."
            }
            Self::SerializedTwice => {
                "The body was serialized to JSON a second time, as text. Sign the raw bytes of the request."
            }
            Self::BodyEncoded => {
                "The body was encoded to base64 or hex before it was signed. Sign the raw bytes of the \
                 request; some gateways hand them over in base64."
            }
            Self::EmptyBody => {
                "An empty body was signed. Something reads the body before your code does: keep the raw \
                 bytes at the first reading."
            }
            Self::StandardWebhooks => {
                "It is a signature as in webhook-signature, made over id, time and body. Compare it with \
                 webhook-signature, or sign the body alone for X-Signature."
            }
            Self::NotASignature => "This is not a signature. X-Signature has 64 hex digits.",
            Self::NothingFound => {
                "No known mistake leads to this signature. Check that the body has exactly the bytes of the \
                 request, and that the secret belongs to this vendor."
            }
        }
    }
}

/// A mistake that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    pub mistake: Mistake,
    /// The client id of the pair whose secret was used, if it is not the one that signs.
    pub client_id: Option<String>,
}

impl Diagnosis {
    /// What is wrong, and what to do, in a sentence or two.
    #[must_use]
    pub fn says(&self) -> String {
        let says = self.mistake.says();
        match &self.client_id {
            Some(client_id) => format!("{says} The secret that was used belongs to client id {client_id}."),
            None => says.to_owned(),
        }
    }
}

impl From<Mistake> for Diagnosis {
    fn from(mistake: Mistake) -> Self {
        Self { mistake, client_id: None }
    }
}
