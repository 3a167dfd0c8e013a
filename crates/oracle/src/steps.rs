//! The step budget of the oracle. Everything that a description can make long spends steps here, so the same queries in
//! the same order always stop at the same point.

use groundrules_gdl::limits::{Budget, Exhausted};

/// A budget with a count of what was taken from it.
#[derive(Clone, Debug)]
pub(crate) struct StepBudget {
    budget: Budget,
    spent: u64,
}

impl StepBudget {
    pub(crate) fn new(budget: Budget) -> Self {
        StepBudget { budget, spent: 0 }
    }

    /// Takes `cost` steps, or says that there are none left.
    pub(crate) fn spend(&mut self, cost: usize) -> Result<(), Exhausted> {
        let cost = cost as u64;
        self.spent = self.spent.saturating_add(cost);
        self.budget.spend(cost)
    }

    /// Goes on with another budget; the count goes on too.
    pub(crate) fn refill(&mut self, budget: Budget) {
        self.budget = budget;
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }
}
