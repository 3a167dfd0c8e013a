//! The program `groundrules`. All of it is in the library beside this file, so that the Python package can run it, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    groundrules_cli::run(std::env::args_os()).into()
}
