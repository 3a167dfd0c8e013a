//! Pictures of a network: as DOT for Graphviz, and as SVG laid out here in layers, from what is true and done on the left
//! to what is next, legal, over and won on the right. Nodes stand in groups by relation. Good for small networks; whoever
//! draws a large one gets a large picture, or the part of it around an atom.

mod around;
mod dot;
mod layout;
mod svg;

use groundrules_ground::GroundGame;
use groundrules_ground::ground_game::AtomKind;

use crate::gates::Kind;
use crate::literal::Literal;
use crate::network::{Network, NodeKind};

/// What a node of a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Fluent,
    Move,
    Gate(Kind),
    Output,
}

/// A node of a picture.
#[derive(Clone, Debug)]
struct Node {
    shape: Shape,
    label: String,
    /// The relation it belongs to.
    group: String,
    /// How far it is from the left.
    layer: usize,
    /// Whether it is asked for.
    is_output: bool,
}

/// A network as it is drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    title: String,
    nodes: Vec<Node>,
    /// From, to, and whether the complement is meant.
    edges: Vec<(usize, usize, bool)>,
}

impl Picture {
    /// The picture of a network, with the names of its game. What is constant, and fluents that just stay, are left out.
    pub fn of(title: &str, game: &GroundGame, network: &Network) -> Picture {
        Drawing::new(game, network).picture(title)
    }

    /// As input for Graphviz.
    pub fn dot(&self) -> String {
        dot::write(self)
    }

    /// As SVG.
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

struct Drawing<'n> {
    game: &'n GroundGame,
    network: &'n Network,
    nodes: Vec<Node>,
    edges: Vec<(usize, usize, bool)>,
    /// For each node of the network its place in the picture.
    places: Vec<Option<usize>>,
}

impl<'n> Drawing<'n> {
    fn new(game: &'n GroundGame, network: &'n Network) -> Self {
        let places = vec![None; network.node_count()];
        Drawing { game, network, nodes: Vec::new(), edges: Vec::new(), places }
    }

    fn picture(mut self, title: &str) -> Picture {
        self.gates();
        self.outputs();
        self.group_gates();
        Picture { title: title.to_owned(), nodes: self.nodes, edges: self.edges }
    }

    /// The place of a node, which is drawn if it is not there yet.
    fn place(&mut self, literal: Literal) -> usize {
        let index = literal.node().index();
        if let Some(place) = self.places[index] {
            return place;
        }
        let (shape, text) = match self.network.kind(literal.node()) {
            NodeKind::Constant => (Shape::Gate(Kind::Or), String::new()),
            NodeKind::Fluent(fluent) => (Shape::Fluent, self.kif(AtomKind::True(fluent))),
            NodeKind::Move(number) => (Shape::Move, self.kif(AtomKind::Does(number))),
            NodeKind::Gate(gate) => (Shape::Gate(self.network.gate_kind(gate)), String::new()),
        };
        let (label, group) = named(&text);
        self.nodes.push(Node { shape, label, group, layer: 0, is_output: false });
        self.places[index] = Some(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn kif(&self, kind: AtomKind) -> String {
        self.game.atom_kif(self.game.atom(kind))
    }

    fn gates(&mut self) {
        let network = self.network;
        for gate in 0..network.gate_count() {
            let own = self.place(network.gate(gate).literal());
            let mut layer = 0;
            for &operand in network.operands(gate) {
                let from = self.place(operand);
                self.edges.push((from, own, operand.is_complemented()));
                layer = layer.max(self.nodes[from].layer + 1);
            }
            self.nodes[own].layer = layer;
        }
        for &(atom, literal) in &network.labels {
            if let NodeKind::Gate(gate) = network.kind(literal.node()) {
                let text = self.kif(AtomKind::Derived(atom as usize));
                let own = self.place(network.gate(gate).literal());
                let (label, group) = named(&text);
                let node = &mut self.nodes[own];
                if node.label.is_empty() {
                    node.label = if literal.is_complemented() { format!("not {label}") } else { label };
                    node.group = group;
                }
            }
        }
    }

    fn outputs(&mut self) {
        let network = self.network;
        let outputs = &network.outputs;
        let mut all: Vec<(String, Literal)> = Vec::new();
        for (fluent, &literal) in outputs.next.iter().enumerate() {
            if literal != network.fluent(fluent).literal() {
                all.push((self.kif(AtomKind::Next(fluent)), literal));
            }
        }
        for (number, &literal) in outputs.legal.iter().enumerate() {
            all.push((self.kif(AtomKind::Legal(number)), literal));
        }
        all.push(("terminal".to_owned(), outputs.terminal));
        for goal in &outputs.goals {
            let role = self.game.term(self.game.roles[goal.role]);
            all.push((format!("(goal {role} {})", goal.value), goal.literal));
        }
        for (text, literal) in all.into_iter().filter(|(_, literal)| literal.constant().is_none()) {
            let (label, group) = named(&text);
            let from = self.place(literal);
            let node = &mut self.nodes[from];
            // A gate that has no other name is the output itself.
            let is_gate = matches!(node.shape, Shape::Gate(_)) && !literal.is_complemented();
            if is_gate && (node.label.is_empty() || node.label == label) {
                (node.label, node.group, node.is_output) = (label, group, true);
                continue;
            }
            let layer = node.layer + 1;
            self.nodes.push(Node { shape: Shape::Output, label, group, layer, is_output: true });
            self.edges.push((from, self.nodes.len() - 1, literal.is_complemented()));
        }
    }

    /// Puts gates without a name of their own into the group of those that use them, if that is one.
    fn group_gates(&mut self) {
        let mut users: Vec<Option<String>> = vec![None; self.nodes.len()];
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        order.sort_by_key(|&edge| std::cmp::Reverse(self.nodes[self.edges[edge].1].layer));
        for edge in order {
            let (from, to, _) = self.edges[edge];
            if matches!(self.nodes[to].shape, Shape::Gate(_)) && self.nodes[to].group.is_empty() {
                self.nodes[to].group = users[to].clone().unwrap_or_default();
            }
            let group = self.nodes[to].group.clone();
            users[from] = Some(match users[from].take() {
                Some(other) if other != group => String::new(),
                _ => group,
            });
        }
    }
}

/// A label and a group for an atom: `(next (cell 1 1 x))` is `cell 1 1 x` in `next cell`.
fn named(text: &str) -> (String, String) {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let mut words = inner.splitn(2, ' ');
    let (first, rest) = (words.next().unwrap_or_default(), words.next());
    match (first, rest) {
        ("true" | "next" | "does" | "legal", Some(rest)) => {
            let plain: String = rest.chars().filter(|letter| !"()".contains(*letter)).collect();
            // Of a move the role comes first.
            let skipped = usize::from(matches!(first, "does" | "legal"));
            let relation = plain.split(' ').nth(skipped).unwrap_or_default();
            (plain.clone(), format!("{first} {relation}"))
        }
        (_, Some(_)) => (inner.to_owned(), first.to_owned()),
        (_, None) => (inner.to_owned(), first.to_owned()),
    }
}
