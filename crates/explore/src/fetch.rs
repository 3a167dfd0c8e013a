//! Queries what is known of states, wherever they are: requests go to the owners of the states, and answers come back.

use groundrules_machine::Rows;

use crate::error::ExploreError;
use crate::exchange::{Delivery, Exchange};
use crate::hash::hash;
use crate::worker::Worker;

const KNOWN: &str = "a complete search knows every successor";

impl Worker<'_> {
    /// Fetches as many words for each of some states; `of` appends those of an own state by its number. All states must
    /// be in memory, and all workers must do it together.
    pub(crate) fn fetch(
        &mut self,
        wanted: &Rows,
        count: usize,
        of: &dyn Fn(usize, &mut Vec<u64>),
    ) -> Result<Vec<u64>, ExploreError> {
        if self.link.peers() > 1 {
            return self.fetch_from_owners(wanted, count, of);
        }
        let shard = self.store.shard().expect("values are computed in memory");
        let hashes: Vec<u64> = wanted.iter().map(hash).collect();
        let mut numbers = Vec::new();
        shard.find(wanted, &hashes, &mut numbers);
        let mut words = Vec::with_capacity(wanted.len() * count);
        numbers.into_iter().for_each(|number| of(number.expect(KNOWN), &mut words));
        assert_eq!(words.len(), wanted.len() * count, "every state has {count} words");
        Ok(words)
    }

    fn fetch_from_owners(
        &mut self,
        wanted: &Rows,
        count: usize,
        of: &dyn Fn(usize, &mut Vec<u64>),
    ) -> Result<Vec<u64>, ExploreError> {
        let shard = self.store.shard().expect("values are computed in memory");
        let (me, peers) = (self.link.me() as u64, self.link.peers());
        // With each question go who asks and where the answer belongs; answers come back in a round of their own.
        let extras: Vec<u64> = (0..wanted.len() as u64).flat_map(|place| [me, place]).collect();
        let mut answers: Vec<Vec<u64>> = vec![Vec::new(); peers];
        let mut numbers = Vec::new();
        let mut answer = |delivery: Delivery<'_>| {
            shard.find(delivery.rows, delivery.hashes, &mut numbers);
            for (number, extra) in numbers.iter().zip(delivery.extras.chunks_exact(2)) {
                let answer = &mut answers[extra[0] as usize];
                answer.push(extra[1]);
                of(number.expect(KNOWN), answer);
            }
            Ok(())
        };
        let mut exchange = Exchange::new(peers, self.expander.width(), 2);
        exchange.send(self.link, wanted, &extras, &mut answer)?;
        exchange.finish(self.link, &mut answer)?;
        for (to, words) in answers.into_iter().enumerate() {
            if !words.is_empty() {
                self.link.send(to, words)?;
            }
        }
        let mut words = vec![0; wanted.len() * count];
        let mut answered = 0;
        while let Some(arrived) = self.link.finish()? {
            assert!(arrived.len().is_multiple_of(count + 1), "answers have {count} words each");
            for answer in arrived.chunks_exact(count + 1) {
                let place = answer[0] as usize * count;
                words[place..place + count].copy_from_slice(&answer[1..]);
                answered += 1;
            }
        }
        assert_eq!(answered, wanted.len(), "every question has one answer");
        Ok(words)
    }
}
