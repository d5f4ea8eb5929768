//! The mistakes that the signature doctor knows. Their sentences are among the words of the pages.

use crate::web::words::Words;

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
    pub fn says(&self, t: &Words) -> String {
        let says = t.text(&format!("signature-{}", self.mistake.code()));
        match &self.client_id {
            Some(id) => format!("{says} {}", t.with("signature-client-id", "id", id)),
            None => says,
        }
    }
}

impl From<Mistake> for Diagnosis {
    fn from(mistake: Mistake) -> Self {
        Self { mistake, client_id: None }
    }
}
