import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('designs', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Assignment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('part', models.CharField(choices=[('general', 'reviewer'), ('clinical', 'clinical reviewer'), ('statistics', 'statistician')], default='general', max_length=10)),
                        ('label', models.PositiveSmallIntegerField(help_text='Reviewer 1, 2, … of this design, where names are hidden')),
                        ('assigned_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('is_automatic', models.BooleanField(default=False)),
                        ('reminded_at', models.DateTimeField(blank=True, null=True)),
                        ('removed_at', models.DateTimeField(blank=True, null=True)),
                        ('assigned_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['label'],
                    },
                ),
                migrations.CreateModel(
                    name='Call',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=60, unique=True)),
                        ('title', models.CharField(max_length=160)),
                        ('summary', models.CharField(blank=True, help_text='One sentence for the list of calls.', max_length=300)),
                        ('description', models.TextField(blank=True, help_text='What organizers have to know.')),
                        ('news', models.TextField(blank=True, help_text="Shown on top of the call's page, for example an extended deadline.")),
                        ('venue', models.CharField(blank=True, max_length=120)),
                        ('year', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('is_public', models.BooleanField(default=False, help_text='Everybody sees the call and can file.', verbose_name='published')),
                        ('submission_at', models.DateTimeField(verbose_name='submission deadline')),
                        ('review_at', models.DateTimeField(verbose_name='reviews are due')),
                        ('revision_at', models.DateTimeField(verbose_name='revisions are due')),
                        ('registration_at', models.DateTimeField(verbose_name='accepted designs are registered until')),
                        ('critical_change_at', models.DateTimeField(verbose_name='last day for critical changes')),
                        ('gate', models.PositiveSmallIntegerField(default=90, help_text='Share of the essential parameters that apply.', verbose_name='filled at least, in percent')),
                        ('takes_unexecuted', models.BooleanField(default=True, help_text='Designs whose task, metric or ranking the platform does not execute: registered here, evaluated elsewhere.', verbose_name='takes designs that are evaluated elsewhere')),
                        ('reviewers_min', models.PositiveSmallIntegerField(default=2, verbose_name='reviewers a design needs')),
                        ('reviewers_max', models.PositiveSmallIntegerField(default=3, verbose_name='reviewers a design gets at most')),
                        ('clinical_reviewers', models.PositiveSmallIntegerField(default=1, verbose_name='clinical reviewers besides')),
                        ('statistician', models.BooleanField(default=False, help_text='A review starts without one too.', verbose_name='one statistician besides, where there is one')),
                        ('load_max', models.PositiveSmallIntegerField(default=5, verbose_name='designs a reviewer gets at most')),
                        ('score_min', models.PositiveSmallIntegerField(default=1, verbose_name='lowest score')),
                        ('score_max', models.PositiveSmallIntegerField(default=5, verbose_name='highest score')),
                        ('anonymity', models.CharField(choices=[('open', 'open: organizers and reviewers know each other'), ('single', 'single-blind: organizers do not learn who reviews'), ('double', 'double-blind: reviewers do not learn either who organizes')], default='single', max_length=10)),
                        ('showing', models.CharField(choices=[('after_own', 'after sending their own'), ('never', 'never'), ('always', 'as soon as they are sent')], default='after_own', max_length=10, verbose_name='reviewers see other reviews')),
                        ('publishes_reviews', models.BooleanField(default=False, help_text='Of registered designs, without names.', verbose_name='publish a summary of the reviews')),
                        ('open_domains', models.TextField(blank=True, default='gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com gmx.de gmx.net web.de', help_text='Two people with such addresses have no conflict because of them.', verbose_name='mail domains that say nothing')),
                        ('bidding_until', models.DateTimeField(blank=True, null=True, verbose_name='reviewers bid until')),
                        ('remind_days', models.PositiveSmallIntegerField(default=7, verbose_name='remind so many days before reviews are due')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                    ],
                    options={
                        'ordering': ['-submission_at'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('review_at__lt', models.F('revision_at')), ('submission_at__lt', models.F('review_at')), ('registration_at__lte', models.F('critical_change_at')), ('revision_at__lte', models.F('registration_at'))), name='reviews_call_dates_in_order'), models.CheckConstraint(condition=models.Q(('gate__lte', 100)), name='reviews_call_gate_is_a_percentage'), models.CheckConstraint(condition=models.Q(('reviewers_min__gte', 1), ('reviewers_min__lte', models.F('reviewers_max'))), name='reviews_call_numbers_of_reviewers'), models.CheckConstraint(condition=models.Q(('score_max__lte', 10), ('score_min__lt', models.F('score_max'))), name='reviews_call_scale')],
                    },
                ),
                migrations.CreateModel(
                    name='Filing',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField(help_text='within the call; addresses name it, so that they name nobody')),
                        ('title', models.CharField(max_length=200)),
                        ('state', models.CharField(choices=[('draft', 'draft'), ('submitted', 'submitted'), ('under_review', 'under review'), ('revision_required', 'revision required'), ('revision_submitted', 'revision submitted'), ('accepted', 'accepted'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn'), ('declined', 'declined'), ('registered', 'registered')], default='draft', max_length=20)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('call', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='filings', to='reviews.call')),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='filings', to='designs.design')),
                    ],
                    options={
                        'ordering': ['number'],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'withdrawn'), _negated=True), fields=('call', 'design'), name='reviews_design_once_a_call'), models.UniqueConstraint(fields=('call', 'number'), name='reviews_filing_number'), models.UniqueConstraint(condition=models.Q(('state__in', ['submitted', 'under_review', 'revision_required', 'revision_submitted', 'accepted'])), fields=('design',), name='reviews_design_runs_once')],
                    },
                ),
                migrations.CreateModel(
                    name='FiledVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('note', models.TextField(blank=True, help_text='what the organizers say to a revision as a whole')),
                        ('filed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('filed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='filed', to='designs.designversion')),
                        ('filing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='reviews.filing')),
                    ],
                    options={
                        'ordering': ['number'],
                        'constraints': [models.UniqueConstraint(fields=('filing', 'number'), name='reviews_filed_version_number')],
                    },
                ),
                migrations.CreateModel(
                    name='DiscussionEntry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('assignment', models.ForeignKey(help_text='empty: a chair', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reviews.assignment')),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('filing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='discussion', to='reviews.filing')),
                    ],
                    options={
                        'verbose_name_plural': 'discussion entries',
                        'ordering': ['created_at', 'pk'],
                    },
                ),
                migrations.CreateModel(
                    name='MailText',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(max_length=30)),
                        ('subject', models.CharField(max_length=160)),
                        ('body', models.TextField()),
                        ('call', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='mail_texts', to='reviews.call')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('call', 'kind'), name='reviews_mail_text_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Question',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('section', models.CharField(max_length=20)),
                        ('position', models.PositiveSmallIntegerField(default=1)),
                        ('text', models.CharField(max_length=400)),
                        ('kind', models.CharField(choices=[('score', 'a score and words'), ('judgement', 'yes, partly, no or cannot judge, and words')], default='judgement', max_length=10)),
                        ('audience', models.CharField(choices=[('all', 'every reviewer'), ('clinical', 'the clinical reviewer'), ('statistics', 'the statistician')], default='all', max_length=10)),
                        ('is_required', models.BooleanField(default=True)),
                        ('retired_at', models.DateTimeField(blank=True, null=True)),
                        ('call', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='reviews.call')),
                    ],
                    options={
                        'ordering': ['position', 'pk'],
                    },
                ),
                migrations.CreateModel(
                    name='Review',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('recommendation', models.CharField(blank=True, choices=[('accept', 'accept'), ('minor', 'minor revision'), ('major', 'major revision'), ('reject', 'reject')], max_length=10)),
                        ('confidence', models.PositiveSmallIntegerField(blank=True, choices=[(1, '1 – an educated guess'), (2, '2 – some knowledge of the field'), (3, '3 – fairly confident'), (4, '4 – confident'), (5, '5 – expert')], null=True)),
                        ('summary', models.TextField(blank=True)),
                        ('confidential', models.TextField(blank=True)),
                        ('started_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('sent_at', models.DateTimeField(blank=True, help_text='when it was sent for the first time', null=True)),
                        ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='reviews.assignment')),
                        ('filed', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='reviews.filedversion')),
                    ],
                    options={
                        'ordering': ['assignment__label'],
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'filed'), name='reviews_review_once_a_version'), models.CheckConstraint(condition=models.Q(('sent_at__isnull', True), models.Q(models.Q(('recommendation', ''), _negated=True), ('confidence__isnull', False)), _connector='OR'), name='reviews_sent_review_recommends')],
                    },
                ),
                migrations.CreateModel(
                    name='Answer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('score', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('judgement', models.CharField(blank=True, choices=[('yes', 'yes'), ('partly', 'partly'), ('no', 'no'), ('unsure', 'cannot judge')], max_length=10)),
                        ('words', models.TextField(blank=True)),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='reviews.question')),
                        ('review', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='reviews.review')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('review', 'question'), name='reviews_answer_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Reviewer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('is_general', models.BooleanField(default=True, verbose_name='reviews in general')),
                        ('is_clinical', models.BooleanField(default=False, verbose_name='judges clinical relevance')),
                        ('is_statistician', models.BooleanField(default=False, verbose_name='judges statistics')),
                        ('expertise', models.JSONField(blank=True, default=list, help_text='words: modalities, organs, methods')),
                        ('load_max', models.PositiveSmallIntegerField(blank=True, help_text='empty: as the call says', null=True)),
                        ('joined_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('left_at', models.DateTimeField(blank=True, null=True)),
                        ('call', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviewers', to='reviews.call')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reviewing', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['joined_at', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('call', 'user'), name='reviews_reviewer_once'), models.CheckConstraint(condition=models.Q(('is_general', True), ('is_clinical', True), ('is_statistician', True), _connector='OR'), name='reviews_reviewer_has_a_part')],
                    },
                ),
                migrations.CreateModel(
                    name='Conflict',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('reason', models.CharField(max_length=300)),
                        ('declared_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('declared_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('filing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to='reviews.filing')),
                        ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conflicts', to='reviews.reviewer')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('reviewer', 'filing'), name='reviews_conflict_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Bid',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('wish', models.SmallIntegerField(choices=[(-1, 'rather not'), (1, 'can'), (2, 'gladly')])),
                        ('filing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bids', to='reviews.filing')),
                        ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bids', to='reviews.reviewer')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('reviewer', 'filing'), name='reviews_bid_once'), models.CheckConstraint(condition=models.Q(('wish__in', [-1, 1, 2])), name='reviews_bid_is_a_wish')],
                    },
                ),
                migrations.CreateModel(
                    name='ReviewThread',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('parameter', models.CharField(max_length=80)),
                        ('task_key', models.CharField(blank=True, max_length=60)),
                        ('is_blocking', models.BooleanField(default=False)),
                        ('state', models.CharField(choices=[('open', 'open'), ('answered', 'answered'), ('resolved', 'resolved')], default='open', max_length=10)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('assignment', models.ForeignKey(help_text='empty: raised by a chair', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='threads', to='reviews.assignment')),
                        ('filed', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='threads', to='reviews.filedversion')),
                        ('filing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='threads', to='reviews.filing')),
                    ],
                    options={
                        'ordering': ['created_at', 'pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['open', 'answered', 'resolved'])), name='reviews_thread_state')],
                    },
                ),
                migrations.CreateModel(
                    name='ReviewComment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('side', models.CharField(choices=[('reviewer', 'reviewer'), ('chair', 'chair'), ('organizer', 'organizers')], max_length=10)),
                        ('text', models.TextField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reviews.assignment')),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='reviews.reviewthread')),
                    ],
                    options={
                        'ordering': ['created_at', 'pk'],
                    },
                ),
                migrations.CreateModel(
                    name='SentReview',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('content', models.JSONField(help_text='questions with answers and the summary, as they stood')),
                        ('confidential', models.TextField(blank=True, help_text='for the chairs alone')),
                        ('recommendation', models.CharField(choices=[('accept', 'accept'), ('minor', 'minor revision'), ('major', 'major revision'), ('reject', 'reject')], max_length=10)),
                        ('confidence', models.PositiveSmallIntegerField(choices=[(1, '1 – an educated guess'), (2, '2 – some knowledge of the field'), (3, '3 – fairly confident'), (4, '4 – confident'), (5, '5 – expert')])),
                        ('score', models.FloatField(help_text='mean of the scores; empty where none was asked for', null=True)),
                        ('sent_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('review', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sent', to='reviews.review')),
                    ],
                    options={
                        'ordering': ['number'],
                        'constraints': [models.UniqueConstraint(fields=('review', 'number'), name='reviews_sent_review_number')],
                    },
                ),
                migrations.CreateModel(
                    name='Transition',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('from_state', models.CharField(choices=[('draft', 'draft'), ('submitted', 'submitted'), ('under_review', 'under review'), ('revision_required', 'revision required'), ('revision_submitted', 'revision submitted'), ('accepted', 'accepted'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn'), ('declined', 'declined'), ('registered', 'registered')], max_length=20)),
                        ('to_state', models.CharField(choices=[('draft', 'draft'), ('submitted', 'submitted'), ('under_review', 'under review'), ('revision_required', 'revision required'), ('revision_submitted', 'revision submitted'), ('accepted', 'accepted'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn'), ('declined', 'declined'), ('registered', 'registered')], max_length=20)),
                        ('at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('reason', models.TextField(blank=True)),
                        ('actor', models.ForeignKey(help_text='empty: the system', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('filing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transitions', to='reviews.filing')),
                        ('predecessor', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='successor', to='reviews.transition')),
                    ],
                    options={
                        'ordering': ['pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('from_state', 'draft'), ('to_state', 'submitted')), models.Q(('from_state', 'submitted'), ('to_state', 'under_review')), models.Q(('from_state', 'submitted'), ('to_state', 'withdrawn')), models.Q(('from_state', 'under_review'), ('to_state', 'revision_required')), models.Q(('from_state', 'under_review'), ('to_state', 'accepted')), models.Q(('from_state', 'under_review'), ('to_state', 'rejected')), models.Q(('from_state', 'under_review'), ('to_state', 'withdrawn')), models.Q(('from_state', 'revision_required'), ('to_state', 'revision_submitted')), models.Q(('from_state', 'revision_required'), ('to_state', 'withdrawn')), models.Q(('from_state', 'revision_submitted'), ('to_state', 'under_review')), models.Q(('from_state', 'revision_submitted'), ('to_state', 'accepted')), models.Q(('from_state', 'revision_submitted'), ('to_state', 'rejected')), models.Q(('from_state', 'revision_submitted'), ('to_state', 'withdrawn')), models.Q(('from_state', 'accepted'), ('to_state', 'registered')), models.Q(('from_state', 'accepted'), ('to_state', 'declined')), _connector='OR'), name='reviews_transition_is_a_way'), models.CheckConstraint(condition=models.Q(models.Q(('from_state', 'draft'), ('predecessor__isnull', True)), models.Q(models.Q(('from_state', 'draft'), _negated=True), ('predecessor__isnull', False)), _connector='OR'), name='reviews_transition_has_a_predecessor'), models.UniqueConstraint(condition=models.Q(('predecessor__isnull', True)), fields=('filing',), name='reviews_one_first_transition'), models.CheckConstraint(condition=models.Q(models.Q(('to_state__in', ['withdrawn', 'declined']), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='reviews_leaving_has_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Decision',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('outcome', models.CharField(choices=[('accept', 'accept'), ('minor', 'minor revision'), ('major', 'major revision'), ('reject', 'reject')], max_length=10)),
                        ('letter', models.TextField()),
                        ('decided_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('filed', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reviews.filedversion')),
                        ('filing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='reviews.filing')),
                        ('transition', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='reviews.transition')),
                    ],
                    options={
                        'ordering': ['decided_at', 'pk'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('letter', ''), _negated=True), name='reviews_decision_has_a_letter')],
                    },
                ),
                migrations.CreateModel(
                    name='AutomaticAssignment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('state', models.CharField(choices=[('queued', 'waiting'), ('done', 'done'), ('failed', 'failed')], default='queued', max_length=10)),
                        ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('made', models.PositiveIntegerField(default=0)),
                        ('words', models.TextField(blank=True, help_text='which places stay open, or what went wrong')),
                        ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('call', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='automatic_assignments', to='reviews.call')),
                    ],
                    options={
                        'ordering': ['-pk'],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'queued')), fields=('call',), name='reviews_one_automatic_assignment_at_a_time')],
                    },
                ),
                migrations.CreateModel(
                    name='Chair',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('since', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('call', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chairs', to='reviews.call')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='chaired_calls', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['since'],
                        'constraints': [models.UniqueConstraint(fields=('call', 'user'), name='reviews_chair_once')],
                    },
                ),
            ]
        ),
        migrations.AddField(
            model_name='assignment',
            name='filing',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='reviews.filing'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='reviewer',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='reviews.reviewer'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('removed_at__isnull', True)), fields=('filing', 'reviewer'), name='reviews_assigned_once'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('filing', 'label'), name='reviews_assignment_label'),
        ),
    ]
