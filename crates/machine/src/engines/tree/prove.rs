//! Proving: the queries on OR nodes, their answers, and how AND nodes compute them.
//!
//! A query is a tuple of values for the key columns of an OR node. Queries come in sets: all tuples that occur in the
//! rows of an AND node, which the paper calls a filter. Only queries that are new in this state are proven. The answers
//! to all queries of a node are in one row set, hashed on the key. Queries and answers of static relations are kept for
//! ever, those that depend on the state until the state changes, and those that depend on the moves until the moves do.
//!
//! Recursion: rows that reach a call of their own recursion wait there, and each answer is joined once with each
//! waiting row until nothing is new. Recursion through negation is left to `negation`.

use super::negation::Questions;
use super::node::{And, AndStep, KeyTest, Or, OrId, Recursion};
use super::options::TreeOptions;
use super::program::Level;
use super::recursion::Consumer;
use super::row_set::{NONE, RowSet};
use super::rows::{Places, Rows, Sieve};
use super::statistics::Count;
use super::terms::Terms;
use crate::MachineError;

/// The resolution tree, finished.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) ors: Vec<Or>,
    pub(super) ands: Vec<And>,
    pub(super) consumers: Vec<Consumer>,
    /// The OR nodes and the consumers of each group.
    pub(super) groups: Vec<(Vec<OrId>, Vec<usize>)>,
    /// The consumers in the rules of each OR node, and those that await its answers.
    pub(super) consumers_of: Vec<Vec<usize>>,
    /// The names of the OR nodes' relations.
    pub(super) names: Vec<String>,
    pub(super) options: TreeOptions,
}

impl Tree {
    pub(super) fn new(options: TreeOptions) -> Self {
        Tree {
            ors: Vec::new(),
            ands: Vec::new(),
            consumers: Vec::new(),
            groups: Vec::new(),
            consumers_of: Vec::new(),
            names: Vec::new(),
            options,
        }
    }
}

/// What was asked of an OR node and answered.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    pub(super) asked: RowSet,
    pub(super) answers: RowSet,
    /// How many questions were taken up.
    pub(super) done: u32,
}

/// The rows that wait at a call of their own recursion.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) rows: RowSet,
    pub(super) by_key: usize,
    /// How many answers they have seen.
    pub(super) seen: u32,
}

/// Everything that changes while one proves.
#[derive(Clone, Debug)]
pub(super) struct Prover {
    pub(super) tables: Vec<RowSet>,
    pub(super) proofs: Vec<Proof>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) terms: Terms,
    /// OR nodes with questions that the state, and that the moves decide.
    touched: [Vec<OrId>; 2],
    /// Memory for rows, used again and again.
    pub(super) pool: Vec<Vec<u32>>,
    pub(super) sieves: Vec<Sieve>,
    pub(super) places: Places,
    pub(super) questions: Questions,
    /// Scratch for one row, and for the rows that passed an alternative.
    pub(super) row: Vec<u32>,
    pub(super) passed: Vec<bool>,
    pub(super) counts: Vec<Count>,
    /// How many states were left.
    pub(super) states: u64,
    steps: u64,
    next_weighing: u64,
}

/// How many steps are taken between two looks at the memory.
const WEIGHING: u64 = 1 << 20;

impl Prover {
    /// Nothing yet; the builder adds what the tree needs.
    pub(super) fn new(terms: Terms) -> Self {
        Prover {
            tables: Vec::new(),
            proofs: Vec::new(),
            waiting: Vec::new(),
            terms,
            touched: [Vec::new(), Vec::new()],
            pool: Vec::new(),
            sieves: Vec::new(),
            places: Places::default(),
            questions: Questions::default(),
            row: Vec::new(),
            passed: Vec::new(),
            counts: Vec::new(),
            states: 0,
            steps: 0,
            next_weighing: 0,
        }
    }

    pub(super) fn add_proof(&mut self, asked: RowSet, answers: RowSet) {
        self.proofs.push(Proof { asked, answers, done: 0 });
        self.counts.push(Count::default());
    }

    pub(super) fn add_waiting(&mut self, consumer: &Consumer) {
        let mut rows = RowSet::new(&consumer.sizes, true);
        let by_key = rows.index_over(&consumer.slots);
        self.waiting.push(Waiting { rows, by_key, seen: 0 });
    }

    pub(super) fn add_sieve(&mut self) -> usize {
        self.sieves.push(Sieve::default());
        self.sieves.len() - 1
    }

    /// Allows so many steps from now on.
    pub(super) fn allow(&mut self, steps: u64) {
        self.steps = steps;
        self.next_weighing = steps.saturating_sub(WEIGHING);
    }

    /// How many steps are left of those allowed.
    pub(super) fn steps_left(&self) -> u64 {
        self.steps
    }

    /// Takes steps, or says that there are none left.
    #[inline]
    pub(super) fn spend(&mut self, tree: &Tree, or: OrId, steps: usize) -> Result<(), MachineError> {
        match self.steps.checked_sub(steps as u64 + 1) {
            Some(left) => {
                self.steps = left;
                if left < self.next_weighing { self.weigh(tree, or) } else { Ok(()) }
            }
            None => Err(MachineError::TooManySteps {
                relation: tree.names[or].clone(),
                steps: tree.options.steps,
            }),
        }
    }

    #[cold]
    fn weigh(&mut self, tree: &Tree, or: OrId) -> Result<(), MachineError> {
        self.next_weighing = self.steps.saturating_sub(WEIGHING);
        if self.bytes() > tree.options.bytes {
            return Err(MachineError::TooMuchMemory {
                relation: tree.names[or].clone(),
                bytes: tree.options.bytes,
            });
        }
        Ok(())
    }

    /// About how many bytes everything takes.
    pub(super) fn bytes(&self) -> usize {
        let proofs = self.proofs.iter().map(|proof| proof.asked.bytes() + proof.answers.bytes());
        let waiting = self.waiting.iter().map(|waiting| waiting.rows.bytes());
        let tables = self.tables.iter().map(RowSet::bytes);
        let pool = self.pool.iter().map(|cells| cells.capacity() * 4);
        proofs.chain(waiting).chain(tables).chain(pool).sum::<usize>() + self.terms.bytes()
    }

    /// What was counted of an OR node, with what it holds now.
    pub(super) fn count(&self, or: OrId) -> Count {
        let (mut count, proof) = (self.counts[or], &self.proofs[or]);
        count.questions += u64::from(proof.asked.len());
        count.answers += u64::from(proof.answers.len());
        count
    }

    /// Forgets what the moves decide.
    pub(super) fn forget_moves(&mut self, tree: &Tree) {
        self.forget_level(tree, 1);
    }

    /// Forgets what the state decides.
    pub(super) fn forget_state(&mut self, tree: &Tree) {
        self.forget_level(tree, 1);
        self.forget_level(tree, 0);
        self.states += 1;
    }

    /// Forgets everything, after an error: what was being proven is only half done.
    pub(super) fn forget_all(&mut self, tree: &Tree) {
        (0..self.proofs.len()).for_each(|or| self.forget(tree, or));
        self.touched.iter_mut().for_each(Vec::clear);
        self.questions = Questions::default();
    }

    /// Gives memory back if much is in use: what static relations were asked and answered is kept for good otherwise.
    pub(super) fn release_if_heavy(&mut self, tree: &Tree) {
        if self.bytes() > tree.options.bytes / 2 {
            self.forget_all(tree);
            for proof in &mut self.proofs {
                proof.asked.release();
                proof.answers.release();
            }
            self.waiting.iter_mut().for_each(|waiting| waiting.rows.release());
            self.pool.clear();
        }
    }

    fn forget_level(&mut self, tree: &Tree, level: usize) {
        let mut touched = std::mem::take(&mut self.touched[level]);
        touched.iter().for_each(|&or| self.forget(tree, or));
        touched.clear();
        self.touched[level] = touched;
    }

    pub(super) fn forget(&mut self, tree: &Tree, or: OrId) {
        let proof = &mut self.proofs[or];
        self.counts[or].questions += u64::from(proof.asked.len());
        self.counts[or].answers += u64::from(proof.answers.len());
        proof.asked.clear();
        proof.answers.clear();
        proof.done = 0;
        for &consumer in &tree.consumers_of[or] {
            self.waiting[consumer].rows.clear();
            self.waiting[consumer].seen = 0;
        }
        self.questions.forget(or);
    }

    /// Asks a question; the answer is not looked for yet. Says whether it is new.
    #[inline]
    pub(super) fn ask(&mut self, tree: &Tree, or: OrId, code: u64, key: &[u32]) -> bool {
        let proof = &mut self.proofs[or];
        if !proof.asked.insert_coded(code, key) {
            return false;
        }
        if proof.asked.len() == 1 {
            match tree.ors[or].level {
                Level::Static => {}
                Level::State => self.touched[0].push(or),
                Level::Moves => self.touched[1].push(or),
            }
        }
        true
    }

    /// Asks a question and proves it. Afterwards the answers of the OR node hold all the answers to it.
    pub(super) fn query(&mut self, tree: &Tree, or: OrId, key: &[u32]) -> Result<(), MachineError> {
        let code = self.proofs[or].asked.coding(0).code(key.iter().copied());
        self.ask(tree, or, code, key);
        self.prove(tree, or)
    }

    /// Proves what was asked of an OR node.
    #[inline]
    pub(super) fn prove(&mut self, tree: &Tree, or: OrId) -> Result<(), MachineError> {
        if self.proofs[or].done == self.proofs[or].asked.len() {
            return Ok(());
        }
        // Relations can depend on each other in a chain as long as the description.
        let before = self.steps;
        let result = stacker::maybe_grow(64 << 10, 1 << 20, || match tree.ors[or].recursion {
            Recursion::None => self.prove_once(tree, or),
            Recursion::Positive => self.prove_group(tree, tree.ors[or].group),
            Recursion::Negated => self.prove_by_questions(tree, or),
        });
        self.counts[or].steps += before - self.steps;
        self.counts[or].visits += 1;
        result
    }

    /// Takes the questions up that were not, and runs the rules for them.
    pub(super) fn prove_once(&mut self, tree: &Tree, or: OrId) -> Result<(), MachineError> {
        let node = &tree.ors[or];
        let from = self.proofs[or].done;
        let to = self.proofs[or].asked.len();
        self.proofs[or].done = to;
        let one_is_enough = node.is_test() && to - from == 1 && node.recursion == Recursion::None;
        for (number, &and) in node.ands.iter().enumerate() {
            let skip_answered = number > 0 && node.is_test();
            if let Some(rows) = self.entry(&tree.ands[and], (from, to), skip_answered) {
                let found = self.run(tree, &tree.ands[and], 0, rows, one_is_enough)?;
                if found && one_is_enough {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The rows that an AND node begins with: one for each question that does not contradict its head.
    pub(super) fn entry(&mut self, and: &And, (from, to): (u32, u32), skip_answered: bool) -> Option<Rows> {
        let mut rows = Rows::new(self.pool.pop().unwrap_or_default(), and.entry.len());
        let proof = &self.proofs[and.or];
        for question in from..to {
            let key = proof.asked.row(question);
            let holds = and.tests.iter().all(|test| test.holds(key));
            if holds && !(skip_answered && proof.answers.find(key) != NONE) {
                rows.push_joined(key, &and.entry, key, &[]);
            }
        }
        if rows.count == 0 {
            self.pool.push(rows.into_cells());
            return None;
        }
        Some(rows)
    }

    /// Brings a group of OR nodes to its fixpoint.
    fn prove_group(&mut self, tree: &Tree, group: usize) -> Result<(), MachineError> {
        let (ors, consumers) = &tree.groups[group];
        loop {
            let mut is_done = true;
            for &or in ors {
                if self.proofs[or].done < self.proofs[or].asked.len() {
                    is_done = false;
                    self.prove_once(tree, or)?;
                }
            }
            for &consumer in consumers {
                if self.waiting[consumer].seen < self.proofs[tree.consumers[consumer].or].answers.len() {
                    is_done = false;
                    self.serve(tree, consumer)?;
                }
            }
            if is_done {
                return Ok(());
            }
        }
    }

    /// Joins new answers with the rows that wait for them, and goes on from there.
    fn serve(&mut self, tree: &Tree, number: usize) -> Result<(), MachineError> {
        let consumer = &tree.consumers[number];
        let and = &tree.ands[consumer.and];
        let AndStep::Join { keep, take, .. } = &and.steps[consumer.step] else { return Ok(()) };
        let mut rows = Rows::new(self.pool.pop().unwrap_or_default(), keep.len() + take.len());
        let waiting = &mut self.waiting[number];
        waiting.rows.refresh(waiting.by_key);
        let answers = &self.proofs[consumer.or].answers;
        let from = std::mem::replace(&mut waiting.seen, answers.len());
        let index = waiting.rows.index(waiting.by_key);
        let coding = waiting.rows.coding(waiting.by_key);
        for answer in from..answers.len() {
            let answer = answers.row(answer);
            if !consumer.tests.iter().all(|test| test.holds(answer)) {
                continue;
            }
            let code = coding.code(consumer.answers.iter().map(|&column| answer[column]));
            let mut row = index.latest(code, waiting.rows.len());
            while row != NONE {
                let waits = waiting.rows.row(row);
                let mut key = consumer.slots.iter().zip(&consumer.answers);
                if !index.needs_comparing() || key.all(|(&slot, &column)| waits[slot] == answer[column]) {
                    rows.push_joined(waits, keep, answer, take);
                }
                row = index.before(row);
            }
        }
        self.spend(tree, and.or, rows.count)?;
        self.run(tree, and, consumer.step + 1, rows, false)?;
        Ok(())
    }

    /// Runs an AND node from a step on; says whether there was an answer. If one is enough, it stops there.
    pub(super) fn run(
        &mut self,
        tree: &Tree,
        and: &And,
        from: usize,
        mut rows: Rows,
        one_is_enough: bool,
    ) -> Result<bool, MachineError> {
        /// How many rows are taken further at a time when one answer is enough.
        const PORTION: usize = 8;
        for (place, step) in and.steps.iter().enumerate().skip(from) {
            if rows.count == 0 {
                break;
            }
            if one_is_enough && rows.count > PORTION && matches!(step, AndStep::Join { .. }) {
                let found = self.run_in_portions(tree, and, place, &rows, PORTION);
                self.pool.push(rows.into_cells());
                return found;
            }
            self.step(tree, and, step, &mut rows)?;
        }
        let found = rows.count > 0;
        self.emit(and, &rows);
        self.pool.push(rows.into_cells());
        Ok(found)
    }

    fn run_in_portions(
        &mut self,
        tree: &Tree,
        and: &And,
        place: usize,
        rows: &Rows,
        portion: usize,
    ) -> Result<bool, MachineError> {
        let mut start = 0;
        let mut portion = portion;
        while start < rows.count {
            let end = (start + portion).min(rows.count);
            let part = rows.copy(start, end, self.pool.pop().unwrap_or_default());
            // Portions grow, so that few of them are wasted; each starts with a step, not with portions again.
            if self.run_portion(tree, and, place, part)? {
                return Ok(true);
            }
            start = end;
            portion *= 4;
        }
        Ok(false)
    }

    fn run_portion(
        &mut self,
        tree: &Tree,
        and: &And,
        place: usize,
        mut rows: Rows,
    ) -> Result<bool, MachineError> {
        self.step(tree, and, &and.steps[place], &mut rows)?;
        self.run(tree, and, place + 1, rows, true)
    }

    /// The answers that the last rows give.
    fn emit(&mut self, and: &And, rows: &Rows) {
        let answers = &mut self.proofs[and.or].answers;
        let mut head = std::mem::take(&mut self.row);
        for row in rows.iter() {
            head.clear();
            for value in &and.head {
                head.push(value.of(row));
            }
            answers.insert(&head);
        }
        self.row = head;
    }
}

impl KeyTest {
    /// Whether a row has what is asked.
    #[inline]
    pub(super) fn holds(&self, row: &[u32]) -> bool {
        match *self {
            KeyTest::Is(column, value) => row[column] == value,
            KeyTest::Same(left, right) => row[left] == row[right],
        }
    }
}
