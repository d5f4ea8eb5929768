//! A macro for enums whose values each have a word, which is stored and which people use.

/// Defines an enum with `ALL`, and with `as_str` and `parse` for its words.
macro_rules! words {
    ($(#[$about:meta])* pub enum $Name:ident { $($(#[$doc:meta])* $name:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $Name {
            $($(#[$doc])* $name,)*
        }

        impl $Name {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Inverse of [`as_str`](Self::as_str).
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }
    };
}
pub(crate) use words;
