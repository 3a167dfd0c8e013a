//! Bounds on what reading and checking may use. Descriptions come from strangers, so every quantity that a text
//! can make large has a limit, and meeting one is a diagnostic, not a crash. Work that grows faster than the text
//! counts its steps against a [`Budget`]; steps, unlike seconds, give the same answer on every machine.

/// The limits within which a description is read and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest text in bytes. Never above 4 GiB, where four-byte offsets end.
    pub bytes: usize,
    /// How deep lists may nest. A Turing machine's tape nests as deep as its input is long.
    pub nesting: usize,
    /// How deep `not`, `or` and `and` may nest in a body.
    pub connectives: usize,
    /// The longest symbol in bytes.
    pub symbol_bytes: usize,
    /// How many diagnostics of one code are kept; further ones are counted.
    pub diagnostics_per_code: usize,
    /// Steps for each analysis whose cost is not linear in the text.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 1 << 30,
            nesting: 10_000,
            connectives: 100,
            symbol_bytes: 4_096,
            diagnostics_per_code: 100,
            steps: 5_000_000,
        }
    }
}

/// Steps that an analysis may still take.
#[derive(Clone, Debug)]
pub struct Budget {
    steps: u64,
}

/// The budget is spent; the analysis must stop with what it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the analysis ran out of steps")]
pub struct Exhausted;

impl Budget {
    /// A budget of so many steps.
    pub fn steps(steps: u64) -> Self {
        Budget { steps }
    }

    /// Takes `cost` steps, or says that there are none left.
    pub fn spend(&mut self, cost: u64) -> Result<(), Exhausted> {
        self.steps = self.steps.checked_sub(cost).ok_or(Exhausted)?;
        Ok(())
    }
}
