//! What is about one player, brought side by side: out of parentheses, from among alternatives, and behind `-`.
//!
//! Conditions are made of terms that stand side by side. `player:sarge (weapon:rocket OR kills>5)` becomes
//! `player:sarge weapon:rocket OR player:sarge kills>5`. What is denied of a player stays beside that player, with what
//! kills are counted of: `player:sarge weapon:rocket -kills>5` becomes
//! `player:sarge weapon:rocket -(weapon:rocket kills>5)`.

use super::keys::Of;
use super::parse::{Node, QueryError};

/// So many terms there may be when alternatives are written out.
const MOST: usize = 1000;

/// A query of which [`Maker`](super::sql::Maker) makes conditions.
pub(crate) fn normal(query: &str, node: &Node) -> Result<Node, QueryError> {
    let mut terms = 0;
    let node = flat(node, &mut terms).and_then(|node| denied(node, &mut terms));
    node.ok_or_else(|| {
        let what =
            format!("written out, these alternatives have more than {MOST} terms; ask for some of them at a time");
        QueryError::new(query, 0..query.len(), what)
    })
}

/// Parentheses within what stands side by side are taken away, and alternatives that are about something beside them written
/// out. Nothing where that is too long.
fn flat(node: &Node, terms: &mut usize) -> Option<Node> {
    Some(match node {
        Node::Term(_) | Node::Not(_) => {
            *terms += 1;
            if *terms > MOST {
                return None;
            }
            Node::And(vec![node.clone()])
        }
        Node::Or(nodes) => {
            let mut all = Vec::new();
            for node in nodes {
                match flat(node, terms)? {
                    Node::Or(nodes) => all.extend(nodes),
                    node => all.push(node),
                }
            }
            Node::Or(all)
        }
        Node::And(nodes) => {
            let mut all = Vec::new();
            for node in nodes {
                // What is written out below is counted there.
                let mut inner = 0;
                match flat(node, &mut inner)? {
                    Node::And(nodes) => all.extend(nodes),
                    node => all.push(node),
                }
            }
            let spread = (0..all.len()).find(|at| {
                let others = || all.iter().enumerate().filter(|(other, _)| other != at).map(|(_, node)| node);
                let (Some(Node::Or(nodes)), others) = (all.get(*at), others) else { return false };
                [is_of_player as fn(Of) -> bool, Of::is_of_line]
                    .iter()
                    .any(|is| nodes.iter().any(|node| any(node, *is)) && others().any(|node| any(node, *is)))
            });
            match spread.and_then(|at| Some((at, all.get(at).cloned()?))) {
                Some((at, Node::Or(nodes))) => {
                    let mut out = Vec::new();
                    for node in nodes {
                        let mut written = all.clone();
                        written.splice(at..=at, [node]);
                        match flat(&Node::And(written), terms)? {
                            Node::Or(nodes) => out.extend(nodes),
                            node => out.push(node),
                        }
                    }
                    Node::Or(out)
                }
                _ => {
                    *terms += all.iter().map(count).sum::<usize>();
                    if *terms > MOST {
                        return None;
                    }
                    Node::And(all)
                }
            }
        }
    })
}

/// What is denied is denied of the kills and the speaker that it stands beside; where it names a player, of the player that
/// it stands beside, too.
fn denied(node: Node, terms: &mut usize) -> Option<Node> {
    Some(match node {
        Node::Term(_) => node,
        Node::Or(nodes) => Node::Or(nodes.into_iter().map(|node| denied(node, terms)).collect::<Option<_>>()?),
        Node::Not(node) => Node::Not(Box::new(denied(flat(&node, terms)?, terms)?)),
        Node::And(nodes) => {
            let beside = nodes.clone();
            let each = |(at, node)| match node {
                Node::Not(node) => {
                    let mut inner = around(&beside, at, &node);
                    inner.push(*node);
                    Some(Node::Not(Box::new(denied(flat(&Node::And(inner), terms)?, terms)?)))
                }
                node => denied(node, terms),
            };
            Node::And(nodes.into_iter().enumerate().map(each).collect::<Option<_>>()?)
        }
    })
}

/// The terms that what is denied at a place is about.
fn around(beside: &[Node], at: usize, node: &Node) -> Vec<Node> {
    let mut around = Vec::new();
    if any(node, Of::is_told_of_player) {
        // From the player in front of it, or from the beginning, up to the next one.
        let players: Vec<_> =
            (0..beside.len()).filter(|at| beside.get(*at).is_some_and(|it| is(it, Of::is_player))).collect();
        let mine = players.iter().rposition(|player| *player < at).unwrap_or(0);
        let from = if mine == 0 { 0 } else { players.get(mine).copied().unwrap_or_default() };
        let to = players.get(mine + 1).copied().unwrap_or(beside.len());
        // One that has no player of its own stays beside that one.
        if any(node, Of::is_player) {
            around.extend(players.get(mine).and_then(|player| beside.get(*player)).cloned());
        }
        if any(node, |of| of == Of::Kills) {
            // How often that player killed so.
            around
                .extend(beside.iter().take(to).skip(from).filter(|it| is(it, |of| matches!(of, Of::Frag(_)))).cloned());
        }
    }
    if any(node, |of| of == Of::Chat) {
        around.extend(beside.iter().filter(|it| is(it, |of| of == Of::Speaker)).cloned());
    }
    around
}

fn is(node: &Node, is: fn(Of) -> bool) -> bool {
    matches!(node, Node::Term(term) if is(term.key.of))
}

/// True for a node with such a term in it.
pub(crate) fn any(node: &Node, is: fn(Of) -> bool) -> bool {
    match node {
        Node::Term(term) => is(term.key.of),
        Node::Not(node) => any(node, is),
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(|node| any(node, is)),
    }
}

fn count(node: &Node) -> usize {
    match node {
        Node::Term(_) => 1,
        Node::Not(node) => count(node),
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().map(count).sum(),
    }
}

fn is_of_player(of: Of) -> bool {
    of.is_player() || of.is_told_of_player()
}
