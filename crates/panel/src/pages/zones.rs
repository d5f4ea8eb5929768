//! The choice of a time zone: the names of the IANA database, by region.

use till_domain::time::TimeZone;
use till_service::web::words::Words;

/// The regions of the database, each a group of the list. Names without a region, and regions that only hold
/// old names of zones of others, such as `US`, are accepted but not offered.
const REGIONS: [&str; 9] =
    ["Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// The list of time zones of a form.
#[derive(Debug, Clone)]
pub struct ZoneList {
    /// The chosen zone, or the text that was sent; empty for none.
    pub chosen: String,
    /// The zones of every region.
    pub regions: Vec<ZoneRegion>,
}

/// The zones of a region.
#[derive(Debug, Clone)]
pub struct ZoneRegion {
    pub name: &'static str,
    /// Names of zones: `Europe/Oslo`.
    pub zones: Vec<String>,
}

impl ZoneList {
    pub fn new(chosen: String) -> Self {
        let names = TimeZone::names();
        let region = |name: &'static str| {
            let of_it = |zone: &&String| zone.split_once('/').is_some_and(|(region, _)| region == name);
            ZoneRegion { name, zones: names.iter().filter(of_it).cloned().collect() }
        };
        Self { chosen, regions: REGIONS.into_iter().map(region).collect() }
    }

    /// The chosen zone, if it is not in the list: an old name, or a text that is none.
    pub fn other(&self) -> Option<&str> {
        let listed = self.regions.iter().any(|region| region.zones.contains(&self.chosen));
        Some(self.chosen.as_str()).filter(|chosen| !listed && !chosen.is_empty() && *chosen != "UTC")
    }

    pub fn is_chosen(&self, zone: &str) -> bool {
        self.chosen == zone
    }
}

impl ZoneRegion {
    pub fn label(&self, t: &Words) -> String {
        t.text(&format!("zone-{}", self.name.to_ascii_lowercase()))
    }
}

/// The name of a zone within its region: `Buenos Aires` of `America/Argentina/Buenos_Aires`.
pub fn place(zone: &str) -> String {
    zone.split_once('/').map_or(zone, |(_, place)| place).replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_region_has_its_zones_and_old_names_are_not_offered() {
        let list = ZoneList::new("Europe/Oslo".to_owned());
        assert!(list.regions.iter().all(|region| !region.zones.is_empty()));
        let all: Vec<&String> = list.regions.iter().flat_map(|region| &region.zones).collect();
        for zone in ["Europe/Moscow", "Asia/Yekaterinburg", "America/New_York", "Pacific/Auckland"] {
            assert!(all.iter().any(|name| *name == zone), "{zone}");
        }
        for zone in ["US/Eastern", "EST5EDT", "Etc/GMT+5", "UTC"] {
            assert!(!all.iter().any(|name| *name == zone), "{zone}");
        }
        assert!(all.iter().all(|zone| TimeZone::parse(zone).is_some()));
        assert_eq!((list.other(), list.is_chosen("Europe/Oslo")), (None, true));
        assert_eq!(ZoneList::new("US/Eastern".to_owned()).other(), Some("US/Eastern"));
        assert_eq!(ZoneList::new("Mars/Olympus".to_owned()).other(), Some("Mars/Olympus"));
        assert_eq!(ZoneList::new(String::new()).other(), None);
        assert_eq!(place("America/Argentina/Buenos_Aires"), "Argentina/Buenos Aires");
    }
}
