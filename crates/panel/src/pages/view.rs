//! The content of a page. Each page has a view, which gives the frame around it all it needs: its kind,
//! heading, breadcrumbs, links, and the problems with the submitted form.

use crate::pages::{Frame, document::PanelDocument, form::Complaint};
use askama::filters::HtmlSafe;
use std::fmt;
use till_service::web::words::Words;

/// The content of a page.
pub trait View: fmt::Debug + Send + Sync {
    /// The word of the kind of page, for styles and tests.
    fn kind(&self) -> &'static str;

    /// The heading, which is the title of the document too.
    fn heading(&self, t: &Words) -> String;

    fn crumbs(&self, _: &Words) -> Vec<Crumb> {
        Vec::new()
    }

    /// The links beside the heading.
    fn actions(&self) -> Vec<Action> {
        Vec::new()
    }

    /// The problems with the submitted form.
    fn complaints(&self, _: &Words) -> Vec<Complaint> {
        Vec::new()
    }

    /// True if the page is a single box without navigation: for visitors who are not logged in, or may use no
    /// other page yet.
    fn is_slip(&self, frame: &Frame) -> bool {
        frame.who.is_none()
    }

    /// More content beside the heading.
    fn head(&self, _: &PanelDocument<'_>) -> Html {
        Html(String::new())
    }

    fn write(&self, document: &PanelDocument<'_>) -> Html;
}

impl View for Box<dyn View> {
    fn kind(&self) -> &'static str {
        (**self).kind()
    }

    fn heading(&self, t: &Words) -> String {
        (**self).heading(t)
    }

    fn crumbs(&self, t: &Words) -> Vec<Crumb> {
        (**self).crumbs(t)
    }

    fn actions(&self) -> Vec<Action> {
        (**self).actions()
    }

    fn complaints(&self, t: &Words) -> Vec<Complaint> {
        (**self).complaints(t)
    }

    fn is_slip(&self, frame: &Frame) -> bool {
        (**self).is_slip(frame)
    }

    fn head(&self, document: &PanelDocument<'_>) -> Html {
        (**self).head(document)
    }

    fn write(&self, document: &PanelDocument<'_>) -> Html {
        (**self).write(document)
    }
}

/// Implements a method of [`View`] by a template, which sees the view and the fields of the [`Document`].
macro_rules! template {
    ($method:ident, $field:ident: $view:ty, $path:literal) => {
        fn $method(
            &self,
            document: &$crate::pages::document::PanelDocument<'_>,
        ) -> $crate::pages::view::Html {
            #[derive(askama::Template)]
            #[template(path = $path)]
            struct Part<'a> {
                document: &'a $crate::pages::document::PanelDocument<'a>,
                $field: &'a $view,
            }

            impl<'a> std::ops::Deref for Part<'a> {
                type Target = $crate::pages::document::PanelDocument<'a>;

                fn deref(&self) -> &Self::Target {
                    self.document
                }
            }

            $crate::pages::view::Html::of(&Part { document, $field: self })
        }
    };
}

pub(crate) use template;

/// The output of a template, which is escaped already.
#[derive(Debug)]
pub struct Html(String);

impl Html {
    pub fn of(template: &impl askama::Template) -> Self {
        Self(template.render().unwrap_or_else(|_| unreachable!("writing to a string does not fail")))
    }
}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}

#[derive(Debug)]
pub struct Crumb {
    /// The link; empty for this page.
    pub href: String,
    pub text: String,
}

impl Crumb {
    pub fn new(href: &str, text: String) -> Self {
        Self { href: href.to_owned(), text }
    }
}

/// A link beside the heading of a page.
#[derive(Debug)]
pub struct Action {
    pub href: &'static str,
    /// Its translation key.
    pub word: &'static str,
    /// True for the main action.
    pub key: bool,
}

impl Action {
    pub fn key(href: &'static str, word: &'static str) -> Self {
        Self { href, word, key: true }
    }

    pub fn other(href: &'static str, word: &'static str) -> Self {
        Self { href, word, key: false }
    }
}
