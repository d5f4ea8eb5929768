//! Checks that a QR code has the right content: its path is drawn, and decoded as a camera would.

use super::fixture::{Maker, Texts};
use crate::checkout::pages::Language;
use rqrr::PreparedImage;
use scraper::{Html, Selector};
use till_service::web::qr::Code;

/// Pixels of a module, and modules of the white margin.
const SCALE: usize = 4;
const MARGIN: usize = 4;

/// The dark modules that a path of `m x y h n v1 h-n z` names.
fn draw(path: &str, size: usize) -> Vec<Vec<bool>> {
    let mut modules = vec![vec![false; size]; size];
    let (mut x, mut y) = (0_i64, 0_i64);
    for run in path.split('m').skip(1) {
        let (start, shape) = run.split_once('h').expect("a run");
        let (right, down) = start.split_once(' ').expect("a start");
        x += right.parse::<i64>().expect("a number");
        y += down.parse::<i64>().expect("a number");
        let length: usize = shape.split('v').next().and_then(|n| n.parse().ok()).expect("a length");
        assert_eq!(shape, format!("{length}v1h-{length}z"));
        let (row, start) = (usize::try_from(y).expect("inside"), usize::try_from(x).expect("inside"));
        modules[row][start..start + length].fill(true);
    }
    modules
}

fn read(path: &str, size: usize) -> String {
    let modules = draw(path, size);
    let side = (size + 2 * MARGIN) * SCALE;
    let dark = |pixel: usize| (pixel / SCALE).checked_sub(MARGIN).filter(|module| *module < size);
    let mut image = PreparedImage::prepare_from_greyscale(side, side, |x, y| match (dark(x), dark(y)) {
        (Some(x), Some(y)) if modules[y][x] => 0,
        _ => 255,
    });
    let grids = image.detect_grids();
    let (_, content) = grids.first().expect("a code").decode().expect("readable");
    content
}

#[test]
fn codes_say_their_text() {
    let usual = Texts::usual(Language::English);
    let long = "x".repeat(800);
    for text in ["a", "HTTPS://QR.EXAMPLE/1", &usual.app_url, &usual.wallet_url, &long] {
        let code = Code::new(text).expect("a code");
        assert_eq!(read(&code.path, code.size), *text);
    }
}

#[test]
fn a_text_that_no_code_can_hold_gives_none() {
    assert!(Code::new(&"x".repeat(5000)).is_none());
}

#[test]
fn the_codes_in_the_pages_say_their_payload() {
    let maker = Maker::usual(Language::Russian);
    let mut seen = 0;
    for (name, page) in maker.pages() {
        let document = Html::parse_document(&page.render());
        let codes = Selector::parse(".qr svg:has(path)").expect("a selector");
        for svg in document.select(&codes) {
            let size = svg.attr("viewBox").and_then(|v| v.split(' ').nth(2)).and_then(|n| n.parse().ok());
            let path =
                svg.select(&Selector::parse("path").expect("a selector")).next().and_then(|p| p.attr("d"));
            let text = read(path.expect("a path"), size.expect("a size"));
            let wanted = if name.starts_with("qr") { &maker.texts.app_url } else { &maker.texts.wallet_url };
            assert_eq!(text, *wanted, "{name}");
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
}

#[test]
fn a_code_is_small() {
    let code = Code::new(&Texts::usual(Language::English).wallet_url).expect("a code");
    assert!(code.path.len() < 12_000, "{}", code.path.len());
}
