//! A player of one's own: `cautious` makes the move that leaves it the most moves afterwards, whatever the others do. Run it
//! with `cargo run -p groundrules-search --example cautious -- games/tic-tac-toe.kif`.

use groundrules_gdl::{Options, read};
use groundrules_machine::{Compiled, Move};
use groundrules_search::referee::{Clocks, Seated, play};
use groundrules_search::{Player, SearchError, Seat, Settings, Turn, players};

struct Cautious;

impl Player for Cautious {
    fn name(&self) -> &'static str {
        "cautious"
    }

    fn choose(&mut self, seat: &mut Seat, turn: &Turn) -> Result<Move, SearchError> {
        let legal = seat.legal()?;
        let (mut machine, state) = (seat.machine(), seat.state());
        let (mut best, mut most) = (legal[0], 0);
        for own in legal {
            let joint: Result<Vec<Move>, SearchError> = (0..seat.roles().len())
                .map(|role| if role == seat.role() { Ok(own) } else { Ok(seat.legal_of(role)?[0]) })
                .collect();
            machine.enter(&state);
            machine.advance(&joint?)?;
            let moves = machine.legal(seat.role())?.len();
            if moves > most {
                (best, most) = (own, moves);
                turn.offer(seat, own);
            }
        }
        Ok(best)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a file with a game for two players")?;
    let game = read(&std::fs::read(path)?, &Options::default()).game.ok_or("this is not GDL")?;
    let seat = Seat::at_once(&Compiled::new(game), 0)?;
    let mut seated = Vec::new();
    for role in 0..seat.roles().len() {
        let player: Box<dyn Player> =
            if role == 0 { Box::new(Cautious) } else { Box::new(players::Random::new(&Settings::default())) };
        seated.push(Seated { seat: seat.another(role)?, player });
    }
    let ending = play(&mut seated, &Clocks { max_steps: 1000, ..Clocks::default() }, &mut |_, _| ())?;
    println!(
        "{} against random: {:?} after {} joint moves",
        seated[0].player.name(),
        ending.goals,
        ending.steps
    );
    Ok(())
}
