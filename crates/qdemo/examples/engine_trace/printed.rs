//! Floats as the engine prints them.

/// A float as the engine prints it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Printed {
    /// With `%i`: it came in 13 bits.
    Short(i32),
    /// With `%f`: it came in 32 bits. The sign stands apart, as that of -0.000000 counts.
    Long { value: f64, negative: bool },
    /// Not at all.
    Nothing,
}

impl Printed {
    pub(crate) fn new(text: &str) -> Printed {
        match (text.parse::<i32>(), text.parse::<f64>()) {
            (Ok(short), _) => Printed::Short(short),
            (_, Ok(value)) => Printed::Long { value, negative: text.starts_with('-') },
            _ => Printed::Nothing,
        }
    }

    /// True when the print may be that of `ours`. `%f` has six decimals, so half a unit of the last one is allowed;
    /// above 8 or so that is less than the distance to the next float.
    pub(crate) fn is(self, ours: f32) -> bool {
        const HALF: f64 = 0.500_001e-6;
        match self {
            Printed::Short(short) => short as f32 == ours,
            Printed::Long { value, negative } => {
                let exact = f64::from(ours);
                let near = value == exact || (value - exact).abs() <= HALF || value.is_nan() && exact.is_nan();
                near && negative == ours.is_sign_negative()
            }
            Printed::Nothing => false,
        }
    }

    /// True when another float would be printed in the same way.
    pub(crate) fn loses(self, ours: f32) -> bool {
        let bits = ours.to_bits();
        let others = [bits.wrapping_sub(1), bits.wrapping_add(1)].map(f32::from_bits);
        matches!(self, Printed::Long { .. }) && others.iter().any(|other| self.is(*other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_printed() {
        assert!(Printed::new("-36").is(-36.0) && !Printed::new("-36").is(-36.5));
        assert!(Printed::new("-16.999023").is(-16.999_023) && !Printed::new("-16.999023").is(-16.999_025));
        assert!(Printed::new("-0.000000").is(-1e-9) && !Printed::new("-0.000000").is(1e-9));
        assert!(Printed::new("nan").is(f32::NAN) && Printed::new("-inf").is(f32::NEG_INFINITY));
        assert!(!Printed::new("inf").is(f32::MAX) && !Printed::new("not sent").is(0.0));
        assert!(Printed::new("0.000001").loses(1e-6) && !Printed::new("560.000061").loses(560.000_06));
    }
}
