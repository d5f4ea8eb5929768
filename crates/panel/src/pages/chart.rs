//! Charts as SVG that uses attributes only, so that pages need no inline style.

use std::collections::BTreeMap;

/// The width of a chart in the units of its shapes, which are stretched to the width that there is.
const WIDTH: i64 = 1000;

/// The height of a chart and its margins, in pixels.
const HEIGHT: i64 = 200;
const TOP: i64 = 10;
const BOTTOM: i64 = 24;

/// The most bars that are still wide enough to point at.
const WIDE_BARS: usize = 100;

/// The most day labels under a chart: as many as fit on a phone.
const NAMES: usize = 4;

/// A horizontal grid line with its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub y: String,
    pub text: String,
}

/// A label under the chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// A percentage of the width.
    pub x: String,
    pub text: String,
    pub anchor: &'static str,
}

/// The values of a day, stacked with the first part at the bottom.
#[derive(Debug, Clone)]
pub struct Stack {
    pub day: String,
    pub parts: Vec<StackPart>,
}

/// One part of a day's stack: its series, value and tooltip.
#[derive(Debug, Clone)]
pub struct StackPart {
    pub word: &'static str,
    pub value: i64,
    pub title: String,
}

impl Stack {
    /// The sum of the parts below a position.
    fn below(&self, place: usize) -> i64 {
        self.parts.iter().take(place).fold(0, |sum, part| sum.saturating_add(part.value))
    }

    fn total(&self) -> i64 {
        self.below(self.parts.len())
    }
}

/// A part of a day as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    pub word: &'static str,
    pub x: String,
    pub y: String,
    pub width: String,
    pub height: String,
    pub title: String,
}

/// A bar chart, day by day.
#[derive(Debug, Clone)]
pub struct Bars {
    pub rules: Vec<Rule>,
    pub names: Vec<Name>,
    pub bars: Vec<Bar>,
}

/// A line chart, day by day.
#[derive(Debug, Clone)]
pub struct Lines {
    pub rules: Vec<Rule>,
    pub names: Vec<Name>,
    pub lines: Vec<ChartLine>,
}

/// A line of the chart: its segments between days without a value, and single days as dots.
#[derive(Debug, Clone)]
pub struct ChartLine {
    pub word: &'static str,
    pub pieces: Vec<String>,
    /// Their places: a percentage of the width, and the height.
    pub dots: Vec<(String, String)>,
}

/// Tenths of a unit as an SVG number. Charts use integer arithmetic only.
fn decimal(tenths: i64) -> String {
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

/// Tenths of a unit as a percentage of the width.
fn percent(tenths: i64) -> String {
    format!("{}.{:02}%", tenths / 100, tenths % 100)
}

fn whole(count: usize) -> i64 {
    i64::try_from(count.max(1)).unwrap_or(i64::MAX)
}

/// The height of a value relative to the top of the scale, in tenths.
fn height_of(value: i64, top: i64) -> i64 {
    let full = i128::from(HEIGHT - TOP - BOTTOM) * 10;
    let height = full * i128::from(value) / i128::from(top.max(1));
    i64::try_from(height).unwrap_or(0)
}

fn y_of(value: i64, top: i64) -> i64 {
    (HEIGHT - BOTTOM) * 10 - height_of(value, top)
}

/// The middle of a day's column, in tenths.
fn x_of(index: usize, count: usize) -> i64 {
    let index = i64::try_from(index).unwrap_or(0);
    WIDTH * 5 * (2 * index + 1) / whole(count)
}

/// Labels for some of the days, evenly spaced and including the first and the last.
fn names(days: &[String]) -> Vec<Name> {
    let count = days.len();
    let name_count = count.min(NAMES);
    let index = |place: usize| if name_count < 2 { 0 } else { place * (count - 1) / (name_count - 1) };
    let name = |place: usize| {
        let index = index(place);
        let text = days.get(index)?.clone();
        // The labels at both ends stay inside the chart.
        let (anchor, x) = match place {
            _ if name_count < 2 => ("middle", x_of(index, count)),
            0 => ("start", 0),
            _ if place + 1 == name_count => ("end", WIDTH * 10),
            _ => ("middle", x_of(index, count)),
        };
        Some(Name { x: percent(x), text, anchor })
    };
    (0..name_count).filter_map(name).collect()
}

/// A round number at or above the highest value, and the step of the grid lines below it.
fn scale(highest: i64) -> (i64, i64) {
    let highest = highest.clamp(1, i64::MAX / 100);
    let mut power = 1_i64;
    while power.saturating_mul(10) <= highest {
        power = power.saturating_mul(10);
    }
    let steps = [power / 5, power / 2, power, power.saturating_mul(2), power.saturating_mul(5)];
    let fits = |step: &i64| *step > 0 && highest.div_euclid(*step) + i64::from(highest % *step > 0) <= 4;
    let step = steps.into_iter().find(fits).unwrap_or(power.saturating_mul(10));
    let lines = highest.div_euclid(step) + i64::from(highest % step > 0);
    (step.saturating_mul(lines), step)
}

/// A short number for an axis: `20k`, `1.5M`.
fn brief(value: i64) -> String {
    let (unit, word) = match value {
        1_000_000_000.. => (1_000_000_000, "G"),
        1_000_000.. => (1_000_000, "M"),
        1_000.. => (1_000, "k"),
        _ => return value.to_string(),
    };
    let (whole, tenths) = (value / unit, value % unit / (unit / 10));
    if tenths == 0 { format!("{whole}{word}") } else { format!("{whole}.{tenths}{word}") }
}

impl Bars {
    /// True if the bars are wide enough to point at; the table has their values in any case.
    pub fn is_wide(&self) -> bool {
        self.bars.len() <= WIDE_BARS
    }

    /// All bars of a series as one shape, for many bars: it is a fraction of the size.
    pub fn shapes(&self) -> BTreeMap<&'static str, String> {
        let mut shapes: BTreeMap<_, String> = BTreeMap::new();
        for Bar { word, x, y, width, height, .. } in &self.bars {
            let shape = shapes.entry(*word).or_default();
            shape.push_str(&format!("M{x} {y}h{width}v{height}h-{width}z"));
        }
        shapes
    }

    /// The bars of some days; the axis is labelled in units of this many.
    pub fn new(days: &[Stack], unit: i64) -> Self {
        let highest = days.iter().map(Stack::total).max().unwrap_or(0);
        let (top, step) = scale((highest / unit).saturating_add(i64::from(highest % unit > 0)));
        let full = top.saturating_mul(unit);
        let mut rules = Vec::new();
        let mut value = 0;
        while value <= top {
            rules.push(Rule { y: decimal(y_of(value, top)), text: brief(value) });
            value += step;
        }
        let bars = days.iter().enumerate();
        let bars = bars.flat_map(|(index, day)| Bar::of_day(day, x_of(index, days.len()), days.len(), full));
        let bars = bars.collect();
        Self { rules, bars, names: names(&days.iter().map(|day| day.day.clone()).collect::<Vec<_>>()) }
    }
}

impl Bar {
    /// The bars of one day around a middle, of `count` days; parts of zero are not drawn.
    fn of_day(day: &Stack, middle: i64, count: usize, full: i64) -> Vec<Self> {
        let width = WIDTH * 7 / whole(count);
        let bar = |(place, part): (usize, &StackPart)| {
            let (foot, head) = (y_of(day.below(place), full), y_of(day.below(place + 1), full));
            Self {
                word: part.word,
                x: decimal(middle - width / 2),
                y: decimal(head),
                width: decimal(width),
                height: decimal(foot - head),
                title: part.title.clone(),
            }
        };
        day.parts.iter().enumerate().filter(|(_, part)| part.value > 0).map(bar).collect()
    }
}

impl Lines {
    /// Lines of values in tenths of a percent; a day without a value interrupts its line.
    pub fn new(days: Vec<String>, lines: Vec<(&'static str, Vec<Option<u64>>)>) -> Self {
        let rule = |percent: i64| Rule { y: decimal(y_of(percent, 100)), text: format!("{percent}%") };
        let rules = [0, 50, 100].into_iter().map(rule).collect();
        let lines = lines.into_iter().map(|(word, values)| ChartLine::new(word, &values, 1000)).collect();
        Self { rules, names: names(&days), lines }
    }

    /// Lines of values on a scale that ends above the highest one; `label` says a value of the axis.
    pub fn scaled(
        days: &[String],
        lines: Vec<(&'static str, Vec<Option<u64>>)>,
        label: impl Fn(i64) -> String,
    ) -> Self {
        let highest =
            lines.iter().flat_map(|(_, values)| values.iter().flatten()).max().copied().unwrap_or(0);
        let (top, step) = scale(i64::try_from(highest).unwrap_or(i64::MAX));
        let values = (0..=top / step.max(1)).map(|line| line.saturating_mul(step));
        let rules = values.map(|value| Rule { y: decimal(y_of(value, top)), text: label(value) }).collect();
        let lines = lines.into_iter().map(|(word, values)| ChartLine::new(word, &values, top)).collect();
        Self { rules, names: names(days), lines }
    }
}

impl ChartLine {
    fn new(word: &'static str, values: &[Option<u64>], top: i64) -> Self {
        let point = |(index, value): (usize, &Option<u64>)| {
            let value = i64::try_from((*value)?).unwrap_or(0);
            Some((x_of(index, values.len()), decimal(y_of(value, top))))
        };
        let points: Vec<_> = values.iter().enumerate().map(point).collect();
        let pieces = points.split(Option::is_none).map(|piece| piece.iter().flatten().cloned().collect());
        let (mut lines, mut dots) = (Vec::new(), Vec::new());
        for piece in pieces.filter(|piece: &Vec<(i64, String)>| !piece.is_empty()) {
            if let [(x, y)] = piece.as_slice() {
                dots.push((percent(*x), y.clone()));
            } else {
                let points = piece.iter().map(|(x, y)| format!("{},{y}", decimal(*x)));
                lines.push(points.collect::<Vec<_>>().join(" "));
            }
        }
        Self { word, pieces: lines, dots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenths(text: &str) -> i64 {
        let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
        format!("{whole}{rest}").parse().expect("a number")
    }

    fn stack(day: i64, parts: &[(&'static str, i64)]) -> Stack {
        let part = |(word, value): &(&'static str, i64)| StackPart {
            word,
            value: *value,
            title: format!("{day}: {word} {value}"),
        };
        Stack { day: day.to_string(), parts: parts.iter().map(part).collect() }
    }

    #[test]
    fn an_axis_ends_above_the_highest_value_with_few_round_lines() {
        for highest in [0, 1, 2, 3, 5, 7, 9, 10, 11, 49, 72, 99, 100, 12_345, 999_999, i64::MAX / 100] {
            let (top, step) = scale(highest);
            assert!(top >= highest && step > 0 && top / step <= 4, "{highest}: {top} by {step}");
            let first: String = step.to_string().chars().take(1).collect();
            assert!(["1", "2", "5"].contains(&first.as_str()), "{highest}: {step}");
        }
        assert_eq!((brief(0), brief(1_500), brief(20_000)), ("0".into(), "1.5k".into(), "20k".into()));
    }

    #[test]
    fn bars_stay_inside_their_chart() {
        let days: Vec<_> = (0..90).map(|day| stack(day, &[("card", day * 77)])).collect();
        let chart = Bars::new(&days, 100);
        assert_eq!((chart.bars.len(), chart.names.len()), (89, NAMES), "a day without anything has no bar");
        for bar in &chart.bars {
            assert!(tenths(&bar.y) >= TOP * 10 && tenths(&bar.height) >= 0, "{bar:?}");
            assert!(tenths(&bar.x) >= 0 && tenths(&bar.x) + tenths(&bar.width) <= WIDTH * 10, "{bar:?}");
            assert_eq!(tenths(&bar.y) + tenths(&bar.height), (HEIGHT - BOTTOM) * 10, "{bar:?}");
        }
        assert_eq!(chart.bars.last().map(|bar| bar.title.as_str()), Some("89: card 6853"));
        let shapes = chart.shapes();
        assert_eq!(shapes.keys().copied().collect::<Vec<_>>(), ["card"], "one shape for each series");
        assert_eq!(shapes["card"].matches('M').count(), chart.bars.len());
        assert!(Bars::new(&[], 1).bars.is_empty());
    }

    #[test]
    fn the_names_of_days_stay_inside_their_chart() {
        let days: Vec<_> = (0..30).map(|day| stack(day, &[("card", 1)])).collect();
        let names = Bars::new(&days, 1).names;
        let ends = |name: Option<&Name>| name.map(|name| (name.x.clone(), name.anchor));
        assert_eq!(ends(names.first()), Some(("0.00%".to_owned(), "start")));
        assert_eq!(ends(names.last()), Some(("100.00%".to_owned(), "end")));
        let [alone] = Bars::new(&days[..1], 1).names.try_into().expect("one name");
        assert_eq!((alone.x.as_str(), alone.anchor), ("50.00%", "middle"));
    }

    #[test]
    fn the_parts_of_a_day_stand_on_each_other() {
        let parts = [("card", 333), ("sbp", 0), ("crypto", 100)];
        let chart = Bars::new(&[stack(0, &parts)], 1);
        let [card, crypto] = chart.bars.as_slice() else { panic!("two parts: {chart:?}") };
        assert_eq!((card.word, crypto.word), ("card", "crypto"), "nothing is drawn of what there is none of");
        assert_eq!(tenths(&card.y) + tenths(&card.height), (HEIGHT - BOTTOM) * 10);
        assert_eq!(tenths(&crypto.y) + tenths(&crypto.height), tenths(&card.y), "no gap and no overlap");
        assert_eq!(tenths(&crypto.y), y_of(433, 600), "they are as high as their sum");
        assert_eq!((&card.x, &card.width), (&crypto.x, &crypto.width));
    }

    #[test]
    fn a_day_without_payments_interrupts_a_line() {
        let line = ChartLine::new("card", &[Some(1000), Some(500), None, Some(0), None], 1000);
        assert_eq!(line.pieces.len(), 1);
        assert_eq!(line.pieces[0].split(' ').count(), 2);
        assert_eq!(line.dots, [("70.00%".to_owned(), "176".to_owned())], "the fourth of five days");
    }

    #[test]
    fn the_scale_of_lines_ends_above_their_highest_value() {
        let days = ["1".to_owned(), "2".to_owned()];
        let chart = Lines::scaled(
            &days,
            vec![("p50", vec![Some(20), None]), ("p95", vec![Some(350), Some(75)])],
            brief,
        );
        let labels: Vec<_> = chart.rules.iter().map(|rule| rule.text.as_str()).collect();
        assert_eq!(labels, ["0", "100", "200", "300", "400"]);
        assert_eq!((chart.rules[0].y.as_str(), chart.rules[4].y.as_str()), ("176", "10"));
        assert_eq!((chart.lines[0].dots.len(), chart.lines[1].pieces.len()), (1, 1));
        assert_eq!(Lines::scaled(&[], Vec::new(), brief).rules.len(), 2, "an axis also without values");
    }
}
