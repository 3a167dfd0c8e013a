//! Data flows one way: no crate depends on one that comes later.

use cargo_metadata::{DependencyKind, MetadataCommand};

/// The chain of crates, and the branches that leave it: pictures behind grounding, proofs behind the network, exploring behind the machines, the knowledge of editors behind
/// grounding. Each crate may depend on those before it.
/// `groundrules` is the library of all of them; front ends come after it.
const CHAINS: [&[&str]; 5] = [
    &[
        "gdl",
        "ground",
        "net",
        "structure",
        "machine",
        "puzzle",
        "search",
        "host",
        "groundrules",
        "command",
        "lsp",
        "studio",
        "web",
        "page",
        "bench",
        "cli",
        "python",
    ],
    &[
        "gdl",
        "ground",
        "net",
        "structure",
        "machine",
        "puzzle",
        "explore",
        "groundrules",
        "command",
        "lsp",
        "studio",
        "web",
        "page",
        "bench",
        "cli",
        "python",
    ],
    &["gdl", "ground", "analysis", "lsp", "studio", "web", "page", "bench", "cli", "python"],
    &[
        "gdl",
        "ground",
        "net",
        "prove",
        "groundrules",
        "command",
        "lsp",
        "studio",
        "web",
        "page",
        "bench",
        "cli",
        "python",
    ],
    &[
        "gdl",
        "ground",
        "board",
        "groundrules",
        "command",
        "lsp",
        "studio",
        "web",
        "page",
        "bench",
        "cli",
        "python",
    ],
];

/// The crate that judges the others in tests; nothing depends on it otherwise.
const JUDGE: &str = "groundrules-oracle";

fn place(package: &str) -> Option<&str> {
    match package {
        "groundrules" => Some("groundrules"),
        JUDGE => None,
        other => other.strip_prefix("groundrules-"),
    }
}

fn may_depend(from: &str, to: &str) -> bool {
    let position = |chain: &[&str], name: &str| chain.iter().position(|crate_name| *crate_name == name);
    CHAINS.iter().any(|chain| match (position(chain, from), position(chain, to)) {
        (Some(from), Some(to)) => to < from,
        _ => false,
    })
}

#[test]
fn no_crate_knows_a_later_one() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    let members = metadata.workspace_packages();
    assert!(members.len() >= 2);
    for package in &members {
        let Some(from) = place(&package.name) else { continue };
        for dependency in
            package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development)
        {
            let own = dependency.name == "groundrules" || dependency.name.starts_with("groundrules-");
            if own {
                let to =
                    place(&dependency.name).unwrap_or_else(|| panic!("{from} depends on the judge of tests"));
                assert!(may_depend(from, to), "{from} depends on {to}, which comes later");
            }
        }
    }
}
