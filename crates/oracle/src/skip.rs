//! Skips tests visibly. Rust's test harness knows only passed and failed; the script `./test` counts the lines that are
//! printed here and reports those tests as skipped, so that nobody takes them for passed.

/// Says that the current test cannot run here, and why. Call it once, then return from the test.
///
/// ```
/// # fn is_installed(program: &str) -> bool { !program.is_empty() }
/// fn answers_agree_with_the_reference() {
///     if !is_installed("reference") {
///         return groundrules_oracle::skip("the program reference is not installed");
///     }
/// }
/// ```
pub fn skip(reason: impl std::fmt::Display) {
    // The harness names the thread of a test after it, unless it runs tests in the main thread, as for cargo-nextest, which
    // names the test itself.
    let by_thread = std::thread::current().name().filter(|name| *name != "main").map(str::to_owned);
    let test = by_thread.or_else(|| std::env::var("NEXTEST_TEST_NAME").ok());
    println!("SKIPPED: {}: {reason}", test.as_deref().unwrap_or("a test"));
}
