//! Berkeley's ABC on the AIGER files of a game: `scorr; dc2; pdr`, one process for each property.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::child::{self, Limits};

/// The properties as `groundrules net` and as reports call them.
const PROPERTIES: [(&str, &str); 3] =
    [("playability", "playability"), ("utility", "utility structure"), ("monotonicity", "monotonicity")];

const PROGRAM: &str = "berkeley-abc";

/// The program, with its limit of time.
pub(super) struct Abc {
    seconds: f64,
}

/// What it says of a property.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) property: String,
    /// Whether it holds; nothing if it is open.
    pub(super) holds: Option<bool>,
    /// Processor seconds.
    pub(super) seconds: f64,
    pub(super) error: Option<String>,
}

impl Abc {
    /// The program, if it is installed.
    pub(super) fn find(seconds: f64) -> Option<Abc> {
        let mut command = Command::new(PROGRAM);
        command.args(["-c", "quit"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().ok().map(|_| Abc { seconds })
    }

    pub(super) fn answers(&self, program: &Path, game: &str, folder: &Path) -> Vec<Answer> {
        let answer = |&(short, property): &(&str, &str)| {
            let asked = self.answer(program, game, short, folder);
            let (holds, seconds, error) = match asked {
                Ok((holds, seconds)) => (holds, seconds, None),
                Err(error) => (None, 0.0, Some(error)),
            };
            Answer { property: property.to_owned(), holds, seconds, error }
        };
        PROPERTIES.iter().map(answer).collect()
    }

    fn answer(
        &self,
        program: &Path,
        game: &str,
        property: &str,
        folder: &Path,
    ) -> Result<(Option<bool>, f64), String> {
        let file = folder.join(format!("{property}.aig"));
        // On the wall, where other processes may have the processor.
        let time = Duration::from_secs_f64(self.seconds * 20.0 + 120.0);
        let limits = Limits { time, memory: 4 << 30 };
        let mut command = Command::new(program);
        command.args(["net", game, "--format", "aiger", "--property", property, "-o"]).arg(&file);
        child::run(command, limits)?;
        let mut command = Command::new(PROGRAM);
        let seconds = self.seconds.ceil() as u64;
        command
            .args(["-c", &format!("read_aiger {}; fold; scorr; dc2; pdr -T {seconds}", file.display())])
            .current_dir(folder);
        let (usage, text) = child::run_reading(command, limits, child::read_text)?;
        Ok((read(&text), usage.cpu.as_secs_f64()))
    }
}

/// What the program's output says.
fn read(text: &str) -> Option<bool> {
    if text.contains("Property proved") {
        Some(true)
    } else if text.contains("was asserted in frame") {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_read() {
        assert_eq!(read("Invariant F[2] : 3 clauses\nProperty proved.  Time = 0.01 sec"), Some(true));
        assert_eq!(read("Output 0 of miter \"x\" was asserted in frame 9."), Some(false));
        assert_eq!(read("Reached timeout (5 seconds) in frame 3."), None);
    }
}
