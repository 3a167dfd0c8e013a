//! What the engine may use, and its optimisations as switches. All combinations of switches give the same answers.

/// How the engine works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeOptions {
    /// Pass the known values of a condition down the tree as a filter, so that only what can match is proven. Where
    /// recursion needs them to end, filters are passed in any case.
    pub filters: bool,
    /// Remove a filter that after 200 visits turned out useless.
    pub remove_filters: bool,
    /// Hash the rows of facts and states on the columns that queries use.
    pub hash_rows: bool,
    /// Replace relations that are other relations under another name.
    pub inline_renamings: bool,
    /// Choose the order of the conditions of each rule by how many rows they promise.
    pub join_order: bool,
    /// Answer the same question once in a state.
    pub memo: bool,
    /// Keep what was proven of recursive relations for the next question about the same state.
    pub table_recurrence: bool,
    /// The most steps for one question.
    pub steps: u64,
    /// The most bytes for what is proven and for interned terms.
    pub bytes: usize,
    /// How deep interned terms may nest.
    pub depth: u32,
}

impl Default for TreeOptions {
    fn default() -> Self {
        TreeOptions {
            filters: true,
            remove_filters: true,
            hash_rows: true,
            inline_renamings: true,
            join_order: true,
            memo: true,
            table_recurrence: true,
            steps: 20_000_000_000,
            bytes: 4 << 30,
            depth: 10_000_000,
        }
    }
}
