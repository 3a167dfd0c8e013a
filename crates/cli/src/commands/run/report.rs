//! The result of a run, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use groundrules_machine::playout::Circuit;
use groundrules_machine::run::Options;
use groundrules_machine::{Goals, Moments, Tally};
use serde_json::{Map, Value, json};

use crate::output::{counted, printable, thousands};

/// Two-sided, of the normal distribution.
const NINETY_FIVE_PERCENT: f64 = 1.96;

/// How many lines a histogram has at most, and how long its longest bar is.
const BARS: usize = 11;
const BAR: usize = 30;

/// All there is to tell.
pub(super) struct Report {
    pub(super) game: String,
    pub(super) engine: &'static str,
    /// Why it was chosen; empty if it was asked for.
    pub(super) why: String,
    pub(super) roles: Vec<String>,
    pub(super) setup: Duration,
    /// The playouts that another engine played before this one was ready, and when it was.
    pub(super) meanwhile: Option<(u64, Duration)>,
    pub(super) elapsed: Duration,
    /// The processor time of this process, setting up and playing.
    pub(super) cpu: Option<[Duration; 2]>,
    /// The circuits of the engine, if it has any.
    pub(super) circuit: Option<Circuit>,
    pub(super) options: Options,
    pub(super) tally: Tally,
    pub(super) counters: BTreeMap<&'static str, u64>,
}

impl Report {
    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Joint moves per playout. An engine that keeps the lengths of a sample only has still counted all the states.
    fn mean_length(&self) -> Option<f64> {
        let tally = &self.tally;
        let is_sample = tally.lengths.count < tally.playouts;
        if is_sample { Some(tally.states as f64 / tally.playouts as f64) } else { tally.lengths.mean() }
    }

    /// Half of the confidence interval of the mean length.
    fn length_margin(&self) -> Option<f64> {
        let lengths = &self.tally.lengths;
        let all = self.tally.playouts.max(lengths.count) as f64;
        Some(NINETY_FIVE_PERCENT * lengths.standard_error()? * (lengths.count as f64 / all).sqrt())
    }

    /// One object.
    pub(super) fn to_json(&self) -> Value {
        let tally = &self.tally;
        let named = |value: &dyn Fn(&Goals) -> Value| -> Map<String, Value> {
            self.roles.iter().zip(&tally.goals).map(|(role, goals)| (role.clone(), value(goals))).collect()
        };
        json!({
            "game": self.game,
            "engine": self.engine,
            "playouts": tally.playouts,
            "states": tally.states,
            "seconds": self.elapsed.as_secs_f64(),
            "setup_seconds": self.setup.as_secs_f64(),
            "playouts_per_second": self.per_second(tally.playouts),
            "states_per_second": self.per_second(tally.states),
            "mean_length": self.mean_length(),
            "branching": tally.branching.value(),
            "goals": named(&|goals| json!(goals.moments().mean())),
            "cpu_seconds": self.cpu.map(|[_, playing]| playing.as_secs_f64()),
            "setup_cpu_seconds": self.cpu.map(|[setup, _]| setup.as_secs_f64()),
            "seed": self.options.seed,
            "threads": self.options.threads,
            "max_steps": self.options.max_steps,
            "mean_length_interval": self.mean_length().zip(self.length_margin()).map(|(m, e)| [m - e, m + e]),
            "choices": tally.choices.value(),
            "goals_interval": named(&|goals| json!(interval(&goals.moments()))),
            "goals_histogram": named(&|goals| json!(goals.histogram)),
            "without_goal": named(&|goals| json!(goals.none)),
            "several_goals": named(&|goals| json!(goals.several)),
            "unfinished": tally.unfinished,
            "unplayable": tally.unplayable,
            "cut_short": tally.cut_short,
            "why": (!self.why.is_empty()).then_some(&self.why),
            "ready_seconds": self.meanwhile.map(|(_, ready)| ready.as_secs_f64()),
            "counters": self.counters,
            "gates_per_step": self.circuit.map(|circuit| circuit.gates_per_step),
            "lanes": self.circuit.map(|circuit| circuit.lanes),
        })
    }

    /// A few lines.
    pub(super) fn to_text(&self) -> String {
        let tally = &self.tally;
        let mut text = format!(
            "{}: {}, {} in {} (engine {}, {}; set up in {})\n",
            self.game,
            counted(tally.playouts, "playout"),
            counted(tally.states, "state"),
            seconds(self.elapsed),
            self.engine,
            counted(self.options.threads.get() as u64, "thread"),
            seconds(self.setup),
        );
        if !self.why.is_empty() {
            let engine = self.engine;
            let _ = writeln!(text, "  {engine} was chosen: {}; --engine {engine} pins it", self.why);
        }
        if let Some((playouts, ready)) = self.meanwhile {
            let playouts = counted(playouts, "playout");
            let _ = writeln!(
                text,
                "  ready after {}; the rules were interpreted until then: {playouts}",
                seconds(ready)
            );
        }
        let [playouts, states] = [tally.playouts, tally.states].map(|count| rate(self.per_second(count)));
        let _ = writeln!(text, "  {playouts} playouts/s, {states} states/s");
        if let Some(mean) = self.mean_length() {
            let margin = self.length_margin().map_or_else(String::new, |margin| format!(" ± {margin:.2}"));
            let _ = writeln!(text, "  {mean:.2}{margin} joint moves per playout");
        }
        if let Some(branching) = tally.branching.value() {
            let choices = tally.choices.value().map_or_else(String::new, |choices| {
                format!("; {choices:.2} moves for a role that has a choice")
            });
            let _ = writeln!(text, "  {branching:.2} joint moves per state to choose from{choices}");
        }
        for (role, goals) in self.roles.iter().zip(&tally.goals) {
            write_goals(&mut text, role, goals);
        }
        self.write_remarks(&mut text);
        text
    }

    /// What a sound game does not have.
    fn write_remarks(&self, text: &mut String) {
        let tally = &self.tally;
        if tally.unfinished > 0 {
            let most = self.options.max_steps;
            let playouts = counted(tally.unfinished, "playout");
            let _ = writeln!(text, "  unfinished: {playouts} stopped after {most} joint moves (--max-steps)");
        }
        if let Some(role) = tally.stuck_role.and_then(|role| self.roles.get(role)) {
            let playouts = counted(tally.unplayable, "playout");
            let role = printable(role);
            let _ = writeln!(
                text,
                "  unplayable: in {playouts} a role ({role}) has no legal move before the end"
            );
        }
        for (role, goals) in self.roles.iter().zip(&tally.goals) {
            let role = printable(role);
            if goals.none > 0 {
                let ends = counted(goals.none, "playout");
                let _ = writeln!(text, "  no goal: {role} has none at the end of {ends}");
            }
            if goals.several > 0 {
                let ends = counted(goals.several, "playout");
                let _ = writeln!(text, "  several goals: {role} has more than one at the end of {ends}");
            }
        }
        if tally.cut_short > 0 {
            let playouts = counted(tally.cut_short, "playout");
            let _ = writeln!(text, "  {playouts} cut short when the time was over");
        }
    }
}

fn interval(moments: &Moments) -> Option<[f64; 2]> {
    let (mean, error) = (moments.mean()?, moments.standard_error()?);
    Some([mean - NINETY_FIVE_PERCENT * error, mean + NINETY_FIVE_PERCENT * error])
}

/// Half of the confidence interval, with its sign.
fn margin(moments: &Moments) -> String {
    let error = moments.standard_error();
    error.map_or_else(String::new, |error| format!(" ± {:.2}", NINETY_FIVE_PERCENT * error))
}

fn write_goals(text: &mut String, role: &str, goals: &Goals) {
    let moments = goals.moments();
    let role = printable(role);
    let Some(mean) = moments.mean() else { return };
    let _ = writeln!(text, "  {role}: mean goal {mean:.2}{}", margin(&moments));
    let bars = bars(&goals.histogram);
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let width = bars.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    for (label, count) in bars {
        let filled = "█".repeat((count as f64 / most as f64 * BAR as f64).round() as usize);
        let share = 100.0 * count as f64 / moments.count as f64;
        let _ = writeln!(text, "    {label:>width$} {filled:<BAR$} {share:5.1} %");
    }
}

/// The values with their counts; where there are many, in ranges of the same width.
fn bars(histogram: &BTreeMap<i32, u64>) -> Vec<(String, u64)> {
    if histogram.len() <= BARS {
        return histogram.iter().map(|(value, &count)| (value.to_string(), count)).collect();
    }
    let ends = histogram.first_key_value().zip(histogram.last_key_value());
    let Some(((&least, _), (&most, _))) = ends else { return Vec::new() };
    let (least, most) = (i64::from(least), i64::from(most));
    let width = (most - least) / (BARS as i64 - 1) + 1;
    let mut bars: BTreeMap<i64, u64> = BTreeMap::new();
    for (&value, &count) in histogram {
        *bars.entry((i64::from(value) - least) / width).or_default() += count;
    }
    let label = |range: i64| {
        let from = least + range * width;
        format!("{from}–{}", (from + width - 1).min(most))
    };
    bars.into_iter().map(|(range, count)| (label(range), count)).collect()
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 0.1 => format!("{:.2} ms", 1e3 * short),
        long => format!("{long:.2} s"),
    }
}

/// A rate with as many digits as say something.
fn rate(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.2}") } else { thousands(rate.round() as u64) }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use groundrules_machine::playout::End;
    use groundrules_machine::run::Until;

    use super::*;

    fn report() -> Report {
        let mut tally = Tally::new(2);
        for (length, goal) in [(3, 0), (5, 100), (4, 100)] {
            tally.add_end(End::Terminal, length);
            tally.goals[0].add(&[goal]);
            tally.goals[1].add(&[]);
        }
        tally.add_end(End::Unplayable { role: 1 }, 2);
        (tally.states, tally.branching.count, tally.branching.sum) = (14, 4, 10);
        Report {
            game: "g".to_owned(),
            engine: "tree",
            why: String::new(),
            roles: vec!["you".to_owned(), "me".to_owned()],
            setup: Duration::from_millis(1),
            meanwhile: None,
            elapsed: Duration::from_secs(2),
            cpu: None,
            circuit: None,
            options: Options {
                until: Until::Playouts(4),
                seed: 1,
                threads: NonZeroUsize::MIN,
                max_steps: 10,
                cancel: groundrules_gdl::time::Cancel::new(),
            },
            tally,
            counters: BTreeMap::new(),
        }
    }

    #[test]
    fn the_fields_of_the_object() {
        let value = report().to_json();
        let names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).take(11).collect();
        assert_eq!(
            names.join(" "),
            "game engine playouts states seconds setup_seconds playouts_per_second states_per_second mean_length \
             branching goals"
        );
        assert_eq!(
            (value["playouts_per_second"].as_f64(), value["mean_length"].as_f64()),
            (Some(2.0), Some(3.5))
        );
        assert_eq!(value["goals"]["me"], Value::Null);
        assert_eq!(value["goals_histogram"]["you"]["100"], 2);
        assert_eq!((value["branching"].as_f64(), value["unplayable"].as_u64()), (Some(2.5), Some(1)));
    }

    #[test]
    fn the_text_tells_what_is_unsound() {
        let text = report().to_text();
        assert!(
            text.starts_with(
                "g: 4 playouts, 14 states in 2.00 s (engine tree, 1 thread; set up in 1.00 ms)\n"
            )
        );
        assert!(text.contains("unplayable: in 1 playout a role (me) has no legal move"), "{text}");
        assert!(text.contains("no goal: me has none at the end of 3 playouts"), "{text}");
        assert!(text.contains("  100 ██████████████████████████████  66.7 %"), "{text}");
    }

    #[test]
    fn many_values_are_put_into_ranges() {
        let histogram: BTreeMap<i32, u64> = (0..=100).map(|value| (value, 1)).collect();
        let bars = bars(&histogram);
        assert_eq!(
            (bars.len(), &bars[0], &bars[9]),
            (10, &("0–10".to_owned(), 11), &("99–100".to_owned(), 2))
        );
        assert_eq!(bars.iter().map(|(_, count)| count).sum::<u64>(), 101);
        let far: BTreeMap<i32, u64> =
            (0..20).map(|n| (i32::MIN / (n + 1), 1)).chain([(i32::MAX, 1)]).collect();
        assert_eq!(super::bars(&far).iter().map(|(_, count)| count).sum::<u64>(), 21);
    }
}
