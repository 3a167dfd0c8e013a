//! stub
use crate::error::ExploreError;
use crate::link::Link;
use crate::search::Position;
use crate::store::Store;
/// stub
pub struct Checkpoint;
impl Checkpoint {
    pub(crate) fn is_due(&self) -> bool {
        false
    }
    pub(crate) fn write(
        &mut self,
        _l: &mut dyn Link,
        _s: &mut Store,
        _p: &Position,
    ) -> Result<(), ExploreError> {
        Ok(())
    }
}
