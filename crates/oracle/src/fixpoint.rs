//! Least fixpoints: everything that follows from the rules of one group, once the groups below are known. The
//! first round asks every rule; each later round asks the recursive rules for what follows from at least one
//! row that the round before found. A row that none of these finds follows from older rows alone, and was
//! found before.

use groundrules_gdl::symbol::Symbols;

use crate::by_atoms;
use crate::error::OracleError;
use crate::ground::GroundTerms;
use crate::program::Rule;
use crate::solve::{OnlyNew, World, heads};
use crate::steps::StepBudget;
use crate::strata::Group;
use crate::table::Table;

/// What holds, and what is needed to find out more.
pub(crate) struct Model<'a> {
    pub(crate) tables: &'a mut [Table],
    pub(crate) terms: &'a mut GroundTerms,
    pub(crate) symbols: &'a Symbols,
    pub(crate) steps: &'a mut StepBudget,
}

impl Model<'_> {
    /// What is needed to ask a rule.
    pub(crate) fn world(&mut self) -> World<'_> {
        World { tables: self.tables, terms: self.terms, symbols: self.symbols, steps: self.steps }
    }

    /// Finds what holds of the relations of a group. If that fails, nothing holds of them.
    pub(crate) fn evaluate(
        &mut self,
        group: &Group,
        rules: &[Rule],
        names: &[String],
    ) -> Result<(), OracleError> {
        let result = if group.negates_itself {
            by_atoms::evaluate(self, group, rules, names)
        } else {
            self.least_fixpoint(group, rules)
        };
        if result.is_err() {
            self.clear(group);
        }
        result
    }

    pub(crate) fn clear(&mut self, group: &Group) {
        group.relations.iter().for_each(|&relation| self.tables[relation].clear());
    }

    /// Adds what follows. Negative literals of the group's own relations count as met.
    pub(crate) fn least_fixpoint(&mut self, group: &Group, rules: &[Rule]) -> Result<(), OracleError> {
        let rules: Vec<&Rule> = group.rules.iter().map(|&rule| &rules[rule]).collect();
        for rule in &rules {
            self.ask(rule, None)?;
        }
        if rules.iter().all(|rule| rule.recursive == 0) {
            return Ok(());
        }
        let mut new_from = vec![0; self.tables.len()];
        while group.relations.iter().any(|&relation| new_from[relation] < self.tables[relation].len()) {
            let lengths: Vec<usize> = self.tables.iter().map(Table::len).collect();
            for rule in &rules {
                for literal in 0..rule.recursive {
                    self.ask(rule, Some(OnlyNew { literal, from: &new_from }))?;
                }
            }
            new_from = lengths;
        }
        Ok(())
    }

    fn ask(&mut self, rule: &Rule, only_new: Option<OnlyNew<'_>>) -> Result<(), OracleError> {
        for row in heads(rule, only_new, self.world())? {
            self.tables[rule.head.relation].insert(row, self.terms);
        }
        Ok(())
    }
}
