//! A fixed sequence of numbers, so that every demo has the same month of payments.

/// Numbers that look random and follow from their seed alone (SplitMix64).
#[derive(Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 up to, but not including, `sides`.
    pub(super) fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides.max(1)
    }

    /// One of these choices, each as often as its weight says.
    pub(super) fn choose<T: Copy, const N: usize>(&mut self, choices: &[(u64, T); N]) -> T {
        choices[self.place(&choices.map(|(weight, _)| weight))].1
    }

    /// A place in this list, each as often as the weight there says.
    pub(super) fn place(&mut self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum());
        let hit = weights.iter().position(|weight| {
            let hit = left < *weight;
            left = left.saturating_sub(*weight);
            hit
        });
        hit.unwrap_or(0)
    }
}
