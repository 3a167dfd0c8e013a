//! How a fluent can change, as far as the network shows it. Many are monotone: they only turn on (a mark that stays) or
//! only off.

use crate::gates::Kind;
use crate::network::Network;

/// How a fluent can change in legal play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Not at all.
    Never,
    /// Once it holds it stays.
    OnlyOn,
    /// Once it does not hold it never does again.
    OnlyOff,
    /// Both ways, as far as is known.
    Freely,
}

/// How each fluent can change. The network must be one for legal play and reachable states.
pub fn changes(network: &Network) -> Vec<Changes> {
    let mut changes: Vec<Changes> = (0..network.fluents()).map(|fluent| change(network, fluent)).collect();
    network.fixed.iter().for_each(|&(fluent, _)| changes[fluent] = Changes::Never);
    changes
}

fn change(network: &Network, fluent: usize) -> Changes {
    let own = network.fluent(fluent).literal();
    let next = network.outputs.next[fluent];
    if next == own || next.constant() == Some(network.init[fluent]) {
        return Changes::Never;
    }
    let found = network
        .gates
        .seen(next)
        .filter(|&(_, gate)| network.operands(gate).contains(&own.complemented_if(next.is_complemented())));
    match found {
        Some((Kind::Or, _)) => Changes::OnlyOn,
        Some((Kind::And, _)) => Changes::OnlyOff,
        None => match next.constant() {
            Some(true) => Changes::OnlyOn,
            Some(false) => Changes::OnlyOff,
            None => Changes::Freely,
        },
    }
}
